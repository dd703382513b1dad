package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/log"
)

// An audit that takes long says so on a terminal, and its rows do not stand
// behind that line.
func TestAuditShowsProgressOnATerminal(t *testing.T) {
	path := filepath.Join(t.TempDir(), logFile)
	if err := writeTale(path); err != nil {
		t.Fatal(err)
	}
	const away, shown, again = "\r\x1b[K", "\r\x1b[Kreading the log: 0 of 0 MiB", "\r\x1b[Kreading the log again: 0 of 0 MiB"
	for name, c := range map[string]struct {
		query auditQuery
		step  time.Duration
		want  []string // in this order
	}{
		"quick":   {auditQuery{asJSON: true}, time.Millisecond, []string{`{"seq":1,`, `{"seq":12,`}},
		"lines":   {auditQuery{asJSON: true}, time.Second, []string{shown, away + `{"seq":1,`, `{"seq":12,`}},
		"pending": {auditQuery{asJSON: true, pending: true}, time.Second, []string{shown, away + `{"seq":12,`}},
		"rows":    {auditQuery{}, time.Second, []string{shown, again, away + "TIME", "git push", "pending"}},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := log.OpenReader(path)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			var screen strings.Builder
			now := time.Unix(0, 0)
			p := &progress{ctx: t.Context(), w: &screen, terminal: true, now: func() time.Time { now = now.Add(c.step); return now }}
			p.begin()
			if err := c.query.print(&reading{Reader: r}, besideProgress{&screen, p, true}, &screen, p); err != nil {
				t.Fatal(err)
			}
			p.end()
			rest := screen.String()
			for _, want := range c.want {
				_, after, found := strings.Cut(rest, want)
				if !found {
					t.Fatalf("there is no %q in what is left of the screen:\n%q", want, rest)
				}
				rest = after
			}
			if quick := c.step < time.Second; quick == strings.Contains(screen.String(), "reading the log") {
				t.Errorf("progress is shown, or is not:\n%q", screen.String())
			}
		})
	}
}

func TestTimesOfTheCommandLine(t *testing.T) {
	here := time.FixedZone("here", 2*60*60)
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, here)
	for text, want := range map[string]string{
		"":                     "0001-01-01T00:00:00Z",
		"2026-01-02T03:04:05Z": "2026-01-02T03:04:05Z",
		"2026-01-02":           "2026-01-02T00:00:00+02:00",
		"90m":                  "2026-03-04T10:30:00+02:00",
		"7d":                   "2026-02-25T12:00:00+02:00",
		"-2h":                  "",
		"yesterday":            "",
		"d":                    "",
	} {
		at, err := parseWhen("--since", text, now)
		got := ""
		if err == nil {
			got = at.Format(time.RFC3339)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got, %v):\n%s", text, err, diff)
		}
	}
}
