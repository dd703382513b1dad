package main

import (
	"strings"
	"testing"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// run runs approvald and returns its standard output; the exit code must be 0.
func (p place) run(t *testing.T, args ...string) string {
	t.Helper()
	cmd := p.command(t, args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("approvald %q: %v: %s", args, err, stderr.String())
	}
	return string(out)
}

func TestCommandOfSeveralPartsIsDecidedPartByPart(t *testing.T) {
	p := newPlace(t)
	p.serve(t)
	agent := p.dial(t, "agent", client.Options{})
	session, err := agent.StartSession(t.Context(), wire.SessionStartParams{})
	if err != nil {
		t.Fatal(err)
	}
	subject, err := wire.Marshal(wire.OpenShell{Kind: wire.SubjectShell, Command: "make && make install", Cwd: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	opened, err := agent.Open(t.Context(), wire.ApprovalOpenParams{
		SessionID: session.Session.SessionID, ToolCallID: "call", ToolName: "bash", RawArgs: "{}", Reason: "build", Subject: subject,
	})
	if err != nil {
		t.Fatal(err)
	}
	// While it is connected, what this process starts is an agent and may not decide.
	if err := agent.Close(); err != nil {
		t.Fatal(err)
	}
	id := opened.ApprovalID
	if err := eventually("the daemon sees that the agent is gone", func() bool {
		return p.command(t, "show", id).Run() == nil
	}); err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		args []string
		want string
	}{
		{[]string{"show", id}, "> 1 of 2     make   [open]\n             | nothing in force covers the command \"make\"\n"},
		{[]string{"decide", id, "allow_once"}, "allow_once, the next stage waits for a decision\n"},
		{[]string{"show", id}, "  1 of 2     make   [allowed once]\n> 2 of 2     make install   [open]\n"},
		{[]string{"decide", id, "allow_once"}, "allow_once, settled\n"},
		{[]string{"show", id}, "settled    allowed once by the command line"},
	}
	for _, s := range steps {
		if got := p.run(t, s.args...); !strings.Contains(got, s.want) {
			t.Fatalf("approvald %q says\n%swant\n%s", s.args, got, s.want)
		}
	}
}
