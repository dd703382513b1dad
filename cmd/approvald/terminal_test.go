package main

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/creack/pty"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// screen is a terminal with a program on it.
type screen struct {
	t    *testing.T
	cmd  *exec.Cmd
	file *os.File
	done chan struct{} // the program's last output was read

	mu   sync.Mutex
	text strings.Builder // guarded by mu
	from int             // where the next look begins
}

func onTerminal(t *testing.T, cmd *exec.Cmd) *screen {
	t.Helper()
	return onTerminalOf(t, cmd, nil)
}

// onTerminalOf is onTerminal with a size.
func onTerminalOf(t *testing.T, cmd *exec.Cmd, size *pty.Winsize) *screen {
	t.Helper()
	file, err := pty.StartWithSize(cmd, size)
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{t: t, cmd: cmd, file: file, done: make(chan struct{})}
	t.Cleanup(func() { _ = file.Close() })
	go s.read()
	return s
}

func (s *screen) read() {
	defer close(s.done)
	buf := make([]byte, 4096)
	for {
		n, err := s.file.Read(buf)
		s.mu.Lock()
		s.text.Write(buf[:n])
		s.mu.Unlock()
		if err != nil { // Linux says EIO where the last process has gone
			return
		}
	}
}

// sees waits for a line that matches, behind what it was shown to match before.
func (s *screen) sees(pattern string) {
	s.t.Helper()
	re := regexp.MustCompile("(?m)" + pattern)
	if err := eventually(pattern, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		at := re.FindStringIndex(s.text.String()[s.from:])
		if at == nil {
			return false
		}
		s.from += at[1]
		return true
	}); err != nil {
		s.t.Fatalf("%v; the terminal shows:\n%s", err, s.all())
	}
}

func (s *screen) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func (s *screen) types(text string) {
	s.t.Helper()
	if _, err := s.file.WriteString(text); err != nil {
		s.t.Fatal(err)
	}
}

// exits waits for the end of the program and checks its exit code.
func (s *screen) exits(code int) {
	s.t.Helper()
	err := s.cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		s.t.Fatal(exit)
	}
	<-s.done
	if got := s.cmd.ProcessState.ExitCode(); got != code {
		s.t.Fatalf("exit code %d, want %d; the terminal shows:\n%s", got, code, s.all())
	}
}

// reviewer is another reviewer, on another connection.
func (p place) reviewer(t *testing.T) *client.Client {
	t.Helper()
	return p.dial(t, "reviewer", client.Options{})
}

func decideAs(t *testing.T, c *client.Client, r wire.ApprovalRequest, choice wire.ChoiceID) {
	t.Helper()
	_, err := c.Decide(t.Context(), wire.ApprovalDecideParams{
		SessionID: r.SessionID, ApprovalID: r.ApprovalID, RequirementID: r.CurrentRequirementID, ChoiceID: choice,
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestPersonAtTerminalAllowsByNumber(t *testing.T) {
	p := newPlace(t)
	p.serve(t)
	s := onTerminal(t, p.command(t, "exec", "--reason", "to see it", "--", "sh", "-c", "echo it ran; exit 7"))
	s.sees(`reason     to see it`)
	s.sees(`> 1 of 1     sh -c 'echo it ran; exit 7'   \[open\]`)
	s.sees(`1\) allow_once +Allow once`)
	s.sees(`2\) allow_session`)
	s.sees(`\| exactly this command`)
	s.sees(`choose by number, or by name: `)
	s.types("1\n")
	s.sees(`^it ran`)
	s.exits(7)
}

func TestMenuTakesOneLineAndLeavesTheRestToTheCommand(t *testing.T) {
	p := newPlace(t)
	p.serve(t)
	s := onTerminal(t, p.command(t, "exec", "--", "sh", "-c", "read a; read b; echo \"got $a and $b\""))
	s.sees(`choose by number`)
	s.types("allow_once\nfirst\nsecond\n")
	s.sees(`^got first and second`)
	s.exits(0)
}

func TestUnknownAnswerAsksAgain(t *testing.T) {
	p := newPlace(t)
	p.serve(t)
	s := onTerminal(t, p.command(t, "exec", "--", "echo", "it ran"))
	s.sees(`choose by number`)
	s.types("yes\n")
	s.sees(`that is none of the choices`)
	s.sees(`choose by number`)
	s.types("2\n")
	s.sees(`^it ran`)
	s.exits(0)
}

func TestRejectionAtTerminalTakesFeedback(t *testing.T) {
	p := newPlace(t)
	p.serve(t)
	s := onTerminal(t, p.command(t, "exec", "--", "echo", "it ran"))
	s.sees(`choose by number`)
	r := p.pending(t, p.reviewer(t), "")
	s.types("abort\n")
	s.sees(`why\? It is told to the agent`)
	s.types("not today\n")
	s.sees(`rejected it.*not today`)
	s.exits(exitDenied)
	owner := p.dial(t, "host", client.Options{})
	if got := p.read(t, owner, r).Resolution.Feedback; got != "not today" {
		t.Errorf("feedback %q, want %q", got, "not today")
	}
}

func TestTerminalHearsThatAnotherReviewerWasFirst(t *testing.T) {
	p := newPlace(t)
	p.serve(t)
	s := onTerminal(t, p.command(t, "exec", "--", "sh", "-c", "read a; echo \"got $a\""))
	s.sees(`choose by number`)
	other := p.reviewer(t)
	decideAs(t, other, p.pending(t, other, ""), wire.ChoiceAllowOnce)
	s.sees(`allowed once by another reviewer`)
	s.types("1\n") // whatever is typed now is the command's
	s.sees(`^got 1`)
	s.exits(0)
}

func TestTerminalGetsTheSuccessorsMenuAfterTheDaemonWasKilled(t *testing.T) {
	p := newPlace(t)
	first := p.serve(t)
	s := onTerminal(t, p.command(t, "exec", "--", "echo", "it ran"))
	s.sees(`choose by number`)
	old := p.pending(t, p.reviewer(t), "")
	kill(t, first)
	s.sees(`the daemon is gone; waiting for it to come back`)
	p.serve(t)
	s.sees(`this question takes the place of the one above`)
	s.sees(`5\) allow_once`) // counted on: a 1 that is on its way selects nothing
	s.sees(`choose by number: `)
	s.types("1\n")
	s.sees(`that is none of the choices`)
	s.types("allow_once\n")
	s.sees(`that is none of the choices`)
	other := p.reviewer(t)
	successor := p.pending(t, other, old.ApprovalID)
	s.types("5\n")
	s.sees(`^it ran`)
	s.exits(0)
	if got := p.read(t, other, old).Resolution; got.Outcome != wire.OutcomeSuperseded || got.SuccessorApprovalID != successor.ApprovalID {
		t.Errorf("the first approval ended as %s with successor %q, want superseded by %s", got.Outcome, got.SuccessorApprovalID, successor.ApprovalID)
	}
}

func TestInterruptWithdrawsTheRequest(t *testing.T) {
	p := newPlace(t)
	p.serve(t)
	s := onTerminal(t, p.command(t, "exec", "--", "echo", "it ran"))
	s.sees(`choose by number`)
	other := p.reviewer(t)
	r := p.pending(t, other, "")
	s.types("\x03")
	s.sees(`cancelled by interrupt; nothing was run`)
	s.exits(130)
	if got := p.read(t, other, r).Resolution.Outcome; got != wire.OutcomeCancelled {
		t.Errorf("outcome %s, want cancelled", got)
	}
}

func TestEndOfTerminalInputWithdrawsTheRequest(t *testing.T) {
	p := newPlace(t)
	p.serve(t)
	s := onTerminal(t, p.command(t, "exec", "--", "echo", "it ran"))
	s.sees(`choose by number`)
	s.types("\x04")
	s.sees(`input ended, so the request was withdrawn`)
	s.exits(exitDenied)
}

func TestTerminalBelowAnAgentIsTheAgents(t *testing.T) {
	p := newPlace(t)
	p.serve(t)
	p.dial(t, "agent", client.Options{}) // this process, and what it starts, is an agent now
	s := onTerminal(t, p.command(t, "exec", "--", "echo", "it ran"))
	s.sees(`no reviewer was there to decide`)
	s.exits(exitDenied)
	if strings.Contains(s.all(), "choose by number") {
		t.Errorf("an agent was offered the menu:\n%s", s.all())
	}
	out, err := p.command(t, "decide", "0198", "allow_once").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "belongs to the agent with pid") {
		t.Errorf("decide below an agent: %v, %s", err, out)
	}
}
