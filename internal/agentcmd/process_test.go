package agentcmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// script starts a shell script as the program.
func script(t *testing.T, text, dir string, more ...func(*Command)) *Process {
	t.Helper()
	c := &Command{Program: "/bin/sh", Args: []string{"-c", text}, Env: os.Environ()}
	for _, m := range more {
		m(c)
	}
	p, err := c.Start(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.End() })
	return p
}

func TestAProgramSpeaksOnItsStandardInputAndOutput(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := script(t, `read x; pwd -P; echo "got $x and [$ODD]"; exit 3`, dir, func(c *Command) { c.Env = []string{"ODD=a b"} })
	if _, err := io.WriteString(p, "hello\n"); err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(p)
	if want := dir + "\ngot hello and [a b]\n"; err != nil || string(said) != want {
		t.Errorf("it said %q, %v; want %q", said, err, want)
	}
	if got := p.End(); got != "The agent ended with exit code 3." {
		t.Errorf("it ended: %s", got)
	}
	if pid, executable := p.Identity(); pid == 0 || executable != "/bin/sh" {
		t.Errorf("it is %d, %s", pid, executable)
	}
}

// However little a program cares, it is gone when End returns, and reaped.
func TestAProgramEndsOneWayOrAnother(t *testing.T) {
	const ample, short = time.Minute, 20 * time.Millisecond
	for name, c := range map[string]struct {
		script   string
		patience time.Duration
		want     string
	}{
		"by itself":                    {"exit 0", ample, "The agent ended with exit code 0."},
		"when its input ends":          {"cat; exit 4", ample, "The agent ended with exit code 4."},
		"by SIGTERM":                   {"echo ready; while :; do sleep 0.01; done", time.Second, "The agent was ended by a signal: terminated."},
		"killed":                       {"trap '' TERM; echo ready; while :; do sleep 0.01; done", short, "The agent was ended by a signal: killed."},
		"with a child that stays":      {"trap '' TERM; (while :; do sleep 0.01; done) & echo ready; while :; do sleep 0.01; done", short, "The agent was ended by a signal: killed."},
		"with a child on its own feet": {"(while :; do sleep 0.01; done) & exit 5", short, "The agent ended with exit code 5."},
	} {
		t.Run(name, func(t *testing.T) {
			p := script(t, c.script, "", func(command *Command) { command.Patience = c.patience })
			if strings.Contains(c.script, "ready") {
				if _, err := io.ReadFull(p, make([]byte, len("ready\n"))); err != nil {
					t.Fatal(err)
				}
			}
			if got := p.End(); got != c.want {
				t.Errorf("%s, want: %s", got, c.want)
			}
			if err := syscall.Kill(p.cmd.Process.Pid, 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("there is a process with its id still: %v", err)
			}
			_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // what the last case leaves
		})
	}
}

// The stream ends with the program, also where a child of it holds its output open.
func TestTheStreamEndsWithTheProgram(t *testing.T) {
	p := script(t, "(while :; do sleep 0.01; done) & echo last words; exit 0", "", func(c *Command) { c.Patience = 20 * time.Millisecond })
	said, _ := io.ReadAll(p) // however it ends
	if string(said) != "last words\n" {
		t.Errorf("it said %q", said)
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
}

func TestAProgramThatIsNotThereDoesNotStart(t *testing.T) {
	c := &Command{Program: filepath.Join(t.TempDir(), "gone")}
	if _, err := c.Start(""); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	c = &Command{Program: "/bin/sh"}
	if _, err := c.Start(filepath.Join(t.TempDir(), "gone")); err == nil {
		t.Error("it was started in a directory that is not there")
	}
}

func TestParseFindsTheProgramOnce(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "agent"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	t.Setenv("APPROVALD_RUNTIME_DIR", "/run/x")
	t.Chdir(t.TempDir())
	c, err := Parse("agent 'a b'")
	if err != nil || c.Program != filepath.Join(dir, "agent") || !cmp.Equal(c.Args, []string{"a b"}) {
		t.Errorf("%+v, %v", c, err)
	}
	for _, v := range c.Env {
		if strings.HasPrefix(v, "APPROVALD_") {
			t.Errorf("its environment has %s", v)
		}
	}
	for flag, want := range map[string]string{
		"nobody": `its program "nobody" cannot be started: executable file not found`, "./agent": `its program "./agent" cannot be started: `, "a | b": "no shell reads it",
	} {
		if _, err := Parse(flag); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", flag, err)
		}
	}
}

// What a program says on its standard error is in the log, a line an entry, escaped and
// bounded.
func TestStandardErrorGoesToTheLog(t *testing.T) {
	var log bytes.Buffer
	s := &stderr{log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))}
	s.pid.Store(7)
	long := strings.Repeat("x", longestLine+1)
	for _, part := range []string{"one\ntw", "o\x1b[31m\n", long, long, "\n", "no end"} {
		if n, err := io.WriteString(s, part); n != len(part) || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
	}
	s.flush()
	s.flush()
	want := []string{
		`level=INFO msg="an agent says" pid=7 line=one`,
		`level=INFO msg="an agent says" pid=7 line="two\x1b[31m"`,
		`level=INFO msg="an agent says" pid=7 line=` + long[1:] + `…`,
		`level=INFO msg="an agent says" pid=7 line="no end"`, "",
	}
	if diff := cmp.Diff(want, strings.Split(log.String(), "\n")); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	for range 2 * mostBytes / longestLine {
		fmt.Fprintln(s, long[1:])
	}
	if log.Len() > 10*mostBytes || strings.Count(log.String(), "the rest is dropped") != 1 {
		t.Errorf("the log has %d bytes", log.Len())
	}
}
