package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What is over within a second shows nothing; then a line is written over at
// most five times a second, and taken away at the end.
func TestProgressIsShownOnATerminalWhereItTakesLong(t *testing.T) {
	for name, c := range map[string]struct {
		terminal bool
		step     time.Duration
		want     string
	}{
		"no terminal": {false, time.Second, ""},
		"quick":       {true, 90 * time.Millisecond, ""},
		"long": {true, 110 * time.Millisecond,
			"\r\x1b[Kverifying: 10 of 20 MiB (50 %)\r\x1b[K"},
		"longer": {true, 250 * time.Millisecond,
			"\r\x1b[Kverifying: 4 of 20 MiB (20 %)\r\x1b[Kverifying: 5 of 20 MiB (25 %)\r\x1b[Kverifying: 6 of 20 MiB (30 %)" +
				"\r\x1b[Kverifying: 7 of 20 MiB (35 %)\r\x1b[Kverifying: 8 of 20 MiB (40 %)\r\x1b[Kverifying: 9 of 20 MiB (45 %)" +
				"\r\x1b[Kverifying: 10 of 20 MiB (50 %)\r\x1b[K"},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			now := time.Unix(0, 0)
			p := &progress{ctx: t.Context(), w: &out, terminal: c.terminal, now: func() time.Time { return now }}
			p.begin()
			step := p.of("verifying")
			for done := range int64(10) {
				now = now.Add(c.step)
				if err := step((done+1)<<20, 20<<20); err != nil {
					t.Fatal(err)
				}
			}
			p.end()
			if diff := cmp.Diff(c.want, out.String()); diff != "" {
				t.Errorf("shown (-want +got):\n%s", diff)
			}
		})
	}
}

func TestProgressEndsAWorkThatIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := newProgress(ctx, &strings.Builder{})
	cancel()
	if err := p.of("copying")(1, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("the step says %v, want that it was interrupted", err)
	}
}
