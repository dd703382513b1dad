package notify

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/wire"
)

func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "told")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAProgramIsGivenOneLine(t *testing.T) {
	to := filepath.Join(t.TempDir(), "line")
	p := NewProgram([]string{script(t, `cat >"$1"; echo noise`), to})
	at := wire.Time("2026-01-02T03:04:05.678Z")
	err := p.Tell(t.Context(), Notice{
		Event: Requested, Kind: Approval, SessionID: "s", ID: "a", ToolName: "bash", Title: "Run a command", Text: "make", ExpiresAt: &at,
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"event":"requested","kind":"approval","sessionId":"s","id":"a","toolName":"bash","title":"Run a command","text":"make","expiresAt":"2026-01-02T03:04:05.678Z"}` + "\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("line (-want +got):\n%s", diff)
	}
}

func TestAProgramThatFailsSaysWhy(t *testing.T) {
	for name, c := range map[string]struct{ argv, want string }{
		"exits":        {script(t, "printf 'no \\033[31mphone' >&2; exit 3"), "exit status 3: no <U+001B>[31mphone"},
		"reads not":    {script(t, "exec <&-; exit 0"), ""},
		"talks much":   {script(t, "yes | head -c 100000 >&2; exit 1"), "exit status 1: y<U+000A>y"},
		"is not there": {"/nonexistent/told", "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			err := NewProgram([]string{c.argv}).Tell(t.Context(), Notice{})
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 10*maxComplaint):
				t.Errorf("error %.200v, want %q", err, c.want)
			}
		})
	}
}

// What a program started must end with it, or a notice could be told for ever.
func TestAProgramThatHangsIsKilledWithWhatItStarted(t *testing.T) {
	said := filepath.Join(t.TempDir(), "said")
	p := NewProgram([]string{script(t, `mkfifo "$1"; (exec 3>"$1"; exec cat "$1") & cat "$1"`), said})
	p.time = 200 * time.Millisecond
	err := p.Tell(context.Background(), Notice{})
	if err == nil || !strings.Contains(err.Error(), "took longer than 200ms") {
		t.Fatalf("error %v", err)
	}
}
