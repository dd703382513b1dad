package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/internal/inbox/emulator"
	"github.com/approvald/approvald/wire"
)

// No other command starts with what drawing on a terminal needs: its tables alone are a
// tenth of a millisecond, and version 1 of the library asked the terminal at every start.
func TestNoCommandButTheInboxLinksATerminalLibrary(t *testing.T) {
	deps := func(pkg string) string {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", pkg).Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	terminal := regexp.MustCompile(`(?m)^(charm\.land|github\.com/charmbracelet|github\.com/mattn/go-runewidth)/.*$`)
	if found := terminal.FindString(deps("github.com/approvald/approvald/cmd/approvald")); found != "" {
		t.Errorf("approvald links %s", found)
	}
	if terminal.FindString(deps("github.com/approvald/approvald/cmd/approvald-inbox")) == "" {
		t.Error("approvald-inbox links no terminal library, so this test would miss it in approvald too")
	}
}

// inboxOn is the inbox on a terminal of 80×24.
func (p place) inboxOn(t *testing.T) *screen {
	t.Helper()
	cmd := p.command(t, "inbox")
	cmd.Env = append(cmd.Env, "TERM=xterm", "NO_COLOR=1")
	s := onTerminalOf(t, cmd, &pty.Winsize{Rows: 24, Cols: 80})
	s.shows(`pending`)
	return s
}

// shows waits until the screen as it is now fulfils a pattern.
func (s *screen) shows(pattern string) {
	s.t.Helper()
	re := regexp.MustCompile(pattern)
	now := ""
	if err := eventually(pattern, func() bool {
		terminal := emulator.New(80, 24)
		terminal.Feed(s.all())
		now = terminal.String()
		return len(terminal.Faults()) == 0 && re.MatchString(now)
	}); err != nil {
		s.t.Fatalf("%v; the terminal shows:\n%s", err, now)
	}
}

func (p place) opened(t *testing.T, agent *client.Client, session, command string) wire.ApprovalOpenResult {
	t.Helper()
	subject, err := wire.Marshal(wire.OpenShell{Kind: wire.SubjectShell, Command: command, Path: "/usr/bin:/bin"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := agent.Open(t.Context(), wire.ApprovalOpenParams{
		SessionID: session, ToolCallID: client.NewCommandID(), ToolName: "bash", RawArgs: "{}", Reason: "to see it", Subject: subject,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (p place) session(t *testing.T, c *client.Client) string {
	t.Helper()
	r, err := c.StartSession(t.Context(), wire.SessionStartParams{WorkspaceRoot: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return r.Session.SessionID
}

func (p place) outcome(t *testing.T, c *client.Client, session string, opened wire.ApprovalOpenResult, want wire.Outcome) wire.Resolution {
	t.Helper()
	r, err := c.Await(t.Context(), wire.ApprovalAwaitParams{SessionID: session, ApprovalIDs: []string{opened.ApprovalID}})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Results[0].Resolution; got == nil || got.Outcome != want {
		t.Fatalf("it ended as %+v, want %s", got, want)
	}
	return *r.Results[0].Resolution
}

func TestInboxDecidesOverARestartOfTheDaemon(t *testing.T) {
	p := newPlace(t)
	daemon := p.serve(t)
	agent := p.dial(t, "host", client.Options{Reconnect: true})
	session := p.session(t, agent)
	one := p.opened(t, agent, session, "make one")
	s := p.inboxOn(t)
	s.shows(`(?s)make one.*final once chosen`)
	s.types("1")
	s.shows(`by you: make one`)
	p.outcome(t, agent, session, one, wire.OutcomeAllowedOnce)
	two := p.opened(t, agent, session, "make two")
	s.shows(`(?s)command      make two.*final once chosen`)
	kill(t, daemon)
	s.shows(`The daemon is gone`)
	p.serve(t)
	s.shows(`(?s)Settled: replaced by a successor.*Connected again`)
	s.types("\r")
	s.shows(`(?s)command      make two.*final once chosen`)
	s.types("x")
	s.shows(`what is the agent to be told`)
	s.types("not today")
	s.shows(`not today`)
	if err := eventually("the words are taken", func() bool {
		s.types("\r") // not in the moment in which the editor has come up
		terminal := emulator.New(80, 24)
		terminal.Feed(s.all())
		return !strings.Contains(terminal.String(), "what is the agent to be told")
	}); err != nil {
		t.Fatal(err)
	}
	if got := p.outcome(t, agent, session, two, wire.OutcomeRejected); got.Feedback != "not today" {
		t.Errorf("the agent is told %q", got.Feedback)
	}
	s.types("q")
	s.exits(0)
}

// Somebody is there while the inbox is on a terminal, and nobody when it has gone.
func TestInboxOnATerminalIsPresence(t *testing.T) {
	p := newPlace(t)
	p.serve(t)
	agent := p.dial(t, "host", client.Options{})
	r, err := agent.StartSession(t.Context(), wire.SessionStartParams{Unattended: wire.UnattendedRefuse, WorkspaceRoot: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	session := r.Session.SessionID
	p.outcome(t, agent, session, p.opened(t, agent, session, "make one"), wire.OutcomeUnavailable)
	s := p.inboxOn(t)
	s.shows(`Nothing waits`)
	two := p.opened(t, agent, session, "make two")
	if two.State != wire.StatePending {
		t.Fatalf("with the inbox open it is %s", two.State)
	}
	s.shows(`make two`)
	_ = s.file.Close() // the terminal is gone
	p.outcome(t, agent, session, two, wire.OutcomeUnavailable)
	if out, err := p.command(t, "inbox").CombinedOutput(); err == nil || !strings.Contains(string(out), "--plain") {
		t.Errorf("without a terminal: %v, %s", err, out)
	}
}

// A rule of a workspace outlives the session that it was given in, and so does the way to
// take it back: any session of the workspace that is open will do.
func TestInboxTakesARuleBackThroughAnySessionOfItsWorkspace(t *testing.T) {
	p := newPlace(t)
	p.serve(t)
	agent := p.dial(t, "host", client.Options{})
	first := p.session(t, agent)
	opened := p.opened(t, agent, first, "echo one")
	decideAs(t, agent, p.read(t, agent, p.pending(t, agent, "")).Request, wire.ChoiceAllowLocalPrefix)
	p.outcome(t, agent, first, opened, wire.OutcomeAllowedPersistent)
	listed, err := agent.ReadSession(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := agent.CloseSession(t.Context(), wire.SessionCloseParams{SessionID: first}); err != nil {
		t.Fatal(err)
	}
	if err := eventually("the rule is in the workspace's store", func() bool {
		r, err := agent.Grants(t.Context(), wire.GrantListParams{})
		return err == nil && len(r.Grants) == 1 && r.Grants[0].InForce
	}); err != nil {
		t.Fatal(err)
	}
	revoke := func() string {
		cmd := p.command(t, "inbox", "--plain")
		cmd.Stdin = strings.NewReader("grants\nrevoke 1\nquit\n")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	if said := revoke(); !strings.Contains(said, "no session of its workspace is open; `approvald grants revoke") {
		t.Errorf("without a session it says:\n%s", said)
	}
	if _, err := agent.StartSession(t.Context(), wire.SessionStartParams{WorkspaceRoot: *listed.Session.WorkspaceRoot}); err != nil {
		t.Fatal(err)
	}
	if said := revoke(); !strings.Contains(said, "Taken back") {
		t.Errorf("with one it says:\n%s", said)
	}
}

// The past is told in full also where so much has happened since an approval was asked for
// that its beginning is not among what is read: then it is asked about.
func TestTheInboxKnowsThePastBehindManyEvents(t *testing.T) {
	p := newPlace(t)
	p.serve(t)
	agent := p.dial(t, "host", client.Options{Name: "ide"})
	session := p.session(t, agent)
	one := p.opened(t, agent, session, "make one")
	for range 500 {
		p.opened(t, agent, session, "make more")
	}
	if _, err := agent.Decide(t.Context(), wire.ApprovalDecideParams{
		SessionID: session, ApprovalID: one.ApprovalID, RequirementID: wire.RequirementID{ApprovalID: one.ApprovalID}, ChoiceID: wire.ChoiceAllowOnce,
	}); err != nil {
		t.Fatal(err)
	}
	s := p.inboxOn(t)
	s.shows(`500 waiting`)
	s.types("h")
	s.shows(`bash       make one +allowed once by ide \(host\)`)
	s.types("q")
	s.exits(0)
}
