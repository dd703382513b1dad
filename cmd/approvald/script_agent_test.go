package main

import (
	"context"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/internal/rpc"
	"github.com/approvald/approvald/wire"
)

// asAgent calls fn with a connection of the user's own program, which is gone
// when it returns: scripts decide from processes that are no agent's.
func asAgent(ts *testscript.TestScript, fn func(context.Context, *client.Client)) {
	ctx := context.Background()
	c, err := client.Dial(ctx, rpc.SocketPath(ts.Getenv("RUNTIME"), "host"), client.Options{Name: "script"})
	ts.Check(err)
	defer c.Close()
	fn(ctx, c)
}

// session NAME [workspace=DIR] [parent=ID] [inherit=none] [preset=PRESET]
// starts a session and sets NAME to its id.
func startSession(ts *testscript.TestScript, _ bool, args []string) {
	var p wire.SessionStartParams
	for _, arg := range args[1:] {
		key, value, _ := strings.Cut(arg, "=")
		switch key {
		case "workspace":
			p.WorkspaceRoot = ts.MkAbs(value)
		case "parent":
			p.ParentSessionID = value
		case "inherit":
			p.Inherit = wire.Inherit(value)
		case "preset":
			p.Preset = wire.Preset(value)
		default:
			ts.Fatalf("session: %s is not known", key)
		}
	}
	asAgent(ts, func(ctx context.Context, c *client.Client) {
		r, err := c.StartSession(ctx, p)
		ts.Check(err)
		ts.Setenv(args[0], r.Session.SessionID)
	})
}

// open NAME SESSION STATE SUBJECT opens an approval in a session, sets NAME to
// its id and expects it to be pending, allow or deny. SUBJECT is a command
// line, or the JSON of another subject.
func openApproval(ts *testscript.TestScript, _ bool, args []string) {
	subject := []byte(args[3])
	if !strings.HasPrefix(args[3], "{") {
		var err error
		subject, err = wire.Marshal(wire.OpenShell{Kind: wire.SubjectShell, Command: args[3], Path: "/usr/bin:/bin"})
		ts.Check(err)
	}
	asAgent(ts, func(ctx context.Context, c *client.Client) {
		r, err := c.Open(ctx, wire.ApprovalOpenParams{
			SessionID: args[1], ToolCallID: client.NewCommandID(), ToolName: "bash", RawArgs: "{}",
			Reason: "asked by a script", Subject: subject,
		})
		ts.Check(err)
		ts.Setenv(args[0], r.ApprovalID)
		state := string(r.State)
		if r.Resolution != nil {
			state = string(r.Resolution.PolicyResult)
		}
		if state != args[2] {
			ts.Fatalf("the approval is %s, want %s: %+v", state, args[2], r.Resolution)
		}
	})
}
