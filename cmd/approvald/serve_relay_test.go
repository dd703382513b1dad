package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// endsWith waits for the process and returns its exit code.
func (o *owner) endsWith() int {
	o.t.Helper()
	for o.lines.Scan() { // to the end of its output
	}
	err := o.cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	if err != nil {
		o.t.Fatal(err)
	}
	return 0
}

const (
	initialized = `{"jsonrpc":"2.0","method":"initialized"}`
	startOne    = `{"jsonrpc":"2.0","id":2,"method":"session/start","params":{"commandId":"018f6a2a-3333-7abc-8def-00000000d001","sessionId":"0198f0aa-1111-7000-8000-0000000000aa"}}`
	openOne     = `{"jsonrpc":"2.0","id":3,"method":"approval/open","params":{"commandId":"018f6a2a-3333-7abc-8def-00000000d002","sessionId":"0198f0aa-1111-7000-8000-0000000000aa","toolCallId":"c","toolName":"t","rawArgs":"{}","reason":"r","subject":{"kind":"x"}}}`
)

func TestSecondStdioIsServedByTheFirstsDaemon(t *testing.T) {
	p := newPlace(t)
	p.serve(t)
	reviewer := p.dial(t, "host", client.Options{})
	second := p.owned(t, "--mode", "allowAll", "--linger")
	if got := second.asks(hello); !strings.Contains(got, `"role":"both"`) {
		t.Fatalf("hello is answered %s", got)
	}
	second.says(initialized)
	if got := second.asks(startOne); !strings.Contains(got, `"mode":"promptUnmatched"`) {
		t.Errorf("the session starts as the daemon has it, not as the second command line: %s", got)
	}
	sessions, err := reviewer.ListSessions(t.Context(), wire.SessionListParams{})
	if err != nil || len(sessions.Sessions) != 1 {
		t.Fatalf("the daemon lists %v, %v", sessions, err)
	}
	second.leaves()
	if code := second.endsWith(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"is relayed to it", "without this command line's --linger, --mode"} {
		if !strings.Contains(second.stderr.String(), want) {
			t.Errorf("standard error does not say %q:\n%s", want, second.stderr)
		}
	}
	if _, err := reviewer.ListSessions(t.Context(), wire.SessionListParams{}); err != nil {
		t.Errorf("the daemon ended with the second client: %v", err)
	}
}

func TestRelayedRoleIsBounded(t *testing.T) {
	p := newPlace(t)
	p.serve(t)
	second := p.owned(t, "--stdio-role", "agent")
	for _, wider := range []string{
		strings.Replace(hello, `"version":"1"}`, `"version":"1"},"capabilities":{"approvald":{"role":"both"}}`, 1),
		`{"jsonrpc":"2.0","id":1,"method":"connection/narrow","params":{"role":"both"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"connection/narrow","params":{"role":"reviewer"}}`,
	} {
		if got := second.asks(wider); !strings.Contains(got, `"kind":"invalidParams"`) {
			t.Errorf("%s\nis answered %s", wider, got)
		}
	}
	if got := second.asks(hello); !strings.Contains(got, `"role":"agent"`) {
		t.Errorf("hello is answered %s", got)
	}
	second.says(initialized)
	if got := second.asks(`{"jsonrpc":"2.0","id":2,"method":"approval/decide","params":{}}`); !strings.Contains(got, `"kind":"roleForbidden"`) {
		t.Errorf("an agent that decides is answered %s", got)
	}
	second.leaves()
	second.endsWell()
}

// What a client asked before its input ended is answered, and what waits is told
// that nobody will answer any more, as over stdio of the daemon's own.
func TestRelayAnswersWhatIsInWorkAtTheEndOfInput(t *testing.T) {
	p := newPlace(t)
	p.serve(t)
	cmd := p.command(t, "serve", "--stdio")
	asked := []string{hello, initialized, startOne, openOne}
	for id := range 50 {
		asked = append(asked, fmt.Sprintf(`{"jsonrpc":"2.0","id":"l%d","method":"session/list"}`, id))
	}
	cmd.Stdin = strings.NewReader(strings.Join(asked, "\n")) // its last line has no end
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{`1`, `2`, `3`, `"l0"`, `"l49"`} {
		if !strings.Contains(string(out), `"id":`+id+`,"result"`) {
			t.Errorf("request %s is not answered:\n%s", id, out)
		}
	}
}

func TestRelayedAwaitEndsWithTheInput(t *testing.T) {
	p := newPlace(t)
	p.serve(t)
	second := p.owned(t)
	second.says(hello, initialized, startOne, openOne)
	opened := second.hearsOf(`"id":3,"result"`)
	_, id, _ := strings.Cut(opened, `"approvalId":"`)
	second.says(fmt.Sprintf(`{"jsonrpc":"2.0","id":4,"method":"approval/await","params":{"sessionId":"0198f0aa-1111-7000-8000-0000000000aa","approvalIds":[%q]}}`, id[:36]))
	second.leaves()
	if got := second.hearsOf(`"id":4`); !strings.Contains(got, `"kind":"shuttingDown"`) {
		t.Errorf("the await is answered %s", got)
	}
	second.endsWell()
}

func TestRelayKeepsTheBoundOfFrames(t *testing.T) {
	p := newPlace(t)
	p.serve(t)
	second := p.owned(t)
	second.asks(hello)
	second.says(initialized)
	tooLarge := `{"jsonrpc":"2.0","id":"big","method":"session/list","params":{"x":"` + strings.Repeat("x", wire.MaxFrame) + `"}}`
	if got := second.asks(tooLarge); !strings.Contains(got, `"id":"big"`) || !strings.Contains(got, `"kind":"inputTooLarge"`) {
		t.Errorf("a frame of more than 10 MiB is answered %.300s", got)
	}
	fits := tooLarge[:len(tooLarge)-len(`xxx"}}`)-100] + `"}}`
	if got := second.asks(fits); !strings.Contains(got, `"sessions":`) {
		t.Errorf("a frame of just under 10 MiB is answered %.300s", got)
	}
	second.leaves()
	second.endsWell()
}

// A client knows its connection by what was said on it, so nobody takes the place
// of a daemon that is gone: it is told, and starts again.
func TestRelayEndsWithItsDaemon(t *testing.T) {
	for name, end := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "ended in order": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			first := p.serve(t)
			second := p.owned(t)
			second.says(hello, initialized, startOne)
			second.hearsOf(`"id":2`)
			if err := first.Process.Signal(end); err != nil {
				t.Fatal(err)
			}
			if end == syscall.SIGTERM {
				second.hearsOf(`"reason":"hostShutdown"`)
			}
			if code := second.endsWith(); code != exitNobody {
				t.Errorf("exit code %d, want %d", code, exitNobody)
			}
			if want := fmt.Sprintf("process %d ", first.Process.Pid); !strings.Contains(second.stderr.String(), want+"(approvald") || !strings.Contains(second.stderr.String(), "start again") {
				t.Errorf("standard error does not say what happened: %s", second.stderr)
			}
			_ = first.Wait()
			third := p.owned(t) // which is the daemon now
			if got := third.asks(hello); !strings.Contains(got, `"role":"both"`) {
				t.Errorf("hello is answered %s", got)
			}
			third.leaves()
			third.endsWell()
		})
	}
}

// An agent that a second window started goes on with what one of the first's began.
func TestRelayedAgentTakesUpTheSessionOfAnother(t *testing.T) {
	p := newPlace(t)
	first := p.owned(t, "--stdio-role", "agent")
	first.asks(hello)
	first.says(initialized)
	first.asks(startOne)
	second := p.owned(t, "--stdio-role", "agent")
	second.asks(hello)
	second.says(initialized)
	resume := `{"jsonrpc":"2.0","id":2,"method":"session/resume","params":{"commandId":"018f6a2a-3333-7abc-8def-00000000d003","sessionId":"0198f0aa-1111-7000-8000-0000000000aa"}}`
	if got := second.asks(resume); !strings.Contains(got, `"result"`) {
		t.Errorf("it is answered %s", got)
	}
	second.leaves()
	second.endsWell()
}

func TestSignalEndsTheRelayAndNotTheDaemon(t *testing.T) {
	p := newPlace(t)
	p.serve(t)
	second := p.owned(t)
	second.asks(hello)
	if err := second.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	second.endsWell()
	if _, err := p.dial(t, "host", client.Options{}).ListSessions(t.Context(), wire.SessionListParams{}); err != nil {
		t.Errorf("the daemon does not serve any more: %v", err)
	}
}

// A daemon that is starting or ending has the state directory and no sockets.
func TestStdioWithoutSocketsToJoin(t *testing.T) {
	for name, c := range map[string]struct {
		then func(*log.Lock) error
		code int
	}{
		"waits for what is ending, and takes its place": {(*log.Lock).Release, exitOK},
		"gives up where nothing changes":                {func(*log.Lock) error { return nil }, exitHeld},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPlace(t)
				lock, err := log.Acquire(p.state, log.Holder{PID: syscall.Getpid()}, 0)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = lock.Release() }()
				s := &serving{dirs: &directories{stateFlag: p.state, runtimeFlag: p.runtime}, stdio: true, stdioRole: "both"}
				code := make(chan int)
				go func() {
					d, _, err := s.openOrJoin(t.Context(), daemon.Config{
						StateDir: p.state, Clock: sequencer.SystemClock{}, NewID: daemon.Minter(bytes.NewReader(nil), sequencer.SystemClock{}), Homes: []string{},
					})
					if d != nil {
						err = errors.Join(err, d.Close())
					}
					if err == nil {
						code <- exitOK
						return
					}
					_, exit := explain(err)
					code <- exit
				}()
				time.Sleep(time.Second) // of the bubble's clock
				if err := c.then(lock); err != nil {
					t.Fatal(err)
				}
				if got := <-code; got != c.code {
					t.Errorf("exit code %d, want %d", got, c.code)
				}
			})
		})
	}
}

// A daemon that was killed has its directories until the kernel has ended it.
func TestServeStartedWhileAKilledOneEnds(t *testing.T) {
	for range 5 {
		p := newPlace(t)
		first := p.serve(t)
		if err := first.Process.Kill(); err != nil { // and nobody waits for its end
			t.Fatal(err)
		}
		second := p.command(t, "serve", "--stdio", "--no-relay")
		second.Stdin = strings.NewReader(hello)
		out, err := second.Output()
		if err != nil || !strings.Contains(string(out), `"role":"both"`) {
			t.Fatalf("it is answered %s, %v", out, err)
		}
	}
}

// says sends lines.
func (o *owner) says(lines ...string) {
	o.t.Helper()
	if _, err := io.WriteString(o.stdin, strings.Join(lines, "\n")+"\n"); err != nil {
		o.t.Fatal(err)
	}
}

// hearsOf is the next line that has a text in it.
func (o *owner) hearsOf(text string) string {
	o.t.Helper()
	for {
		if line := o.hears(); strings.Contains(line, text) {
			return line
		}
	}
}
