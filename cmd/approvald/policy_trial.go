package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/rulefile"
	"github.com/approvald/approvald/wire"
)

// inquiry is one action for the policy, with the session that it would come
// from.
type inquiry struct {
	subject   json.RawMessage // as approval/open takes it
	toolName  string
	rawArgs   string
	workspace string // "" for none
	mode      string // "" for the policy's
	preset    string // "" for none
	requested bool   // the agent asks to be asked
}

// answer is what a daemon made of a question.
type answer struct {
	session    wire.Session
	request    wire.ApprovalRequest
	resolution *wire.Resolution // nil: a reviewer is asked
}

// ask puts a question to a daemon that lives in this process for as long as it
// takes, so that what it says is what a daemon would do, whatever that may be:
// the command is split, the paths are looked at and the rules are evaluated by
// the code that serves agents. It keeps nothing of it.
func (d *directories) ask(ctx context.Context, files rulefile.Files, q inquiry) (answer, error) {
	config, err := d.trialConfig(files)
	if err != nil {
		return answer{}, err
	}
	if config.Ceiling, err = ceilingOf(files); err != nil {
		return answer{}, err
	}
	config.Mode = approval.Mode(q.mode)
	trial, err := daemon.Open(config)
	if err != nil {
		return answer{}, err
	}
	defer trial.Close()
	ours, theirs := net.Pipe()
	go trial.ServeStream("explain", wire.RoleBoth, theirs)
	c, err := client.New(ctx, ours, client.Options{Name: nameOfClient, Version: buildVersion()})
	if err != nil {
		return answer{}, err
	}
	defer c.Close()
	return q.put(ctx, c)
}

// ceilingOf is the ceiling that administrators set, else the widest: whoever
// asks about a mode wants to know what it would do.
func ceilingOf(files rulefile.Files) (approval.Mode, error) {
	loaded, err := rulefile.Load(files, readingOptions())
	if err != nil {
		return "", fmt.Errorf("the policy cannot be read: %w", err)
	}
	if loaded.Ceiling != "" {
		return loaded.Ceiling, nil
	}
	return approval.AllowAll, nil
}

// put opens an approval and reads what became of it.
func (q inquiry) put(ctx context.Context, c *client.Client) (a answer, err error) {
	session, err := c.StartSession(ctx, wire.SessionStartParams{WorkspaceRoot: q.workspace, Preset: wire.Preset(q.preset)})
	if err != nil {
		return a, err
	}
	a.session = session.Session
	opened, err := c.Open(ctx, wire.ApprovalOpenParams{
		SessionID: session.Session.SessionID, ToolCallID: "call", ToolName: q.toolName,
		RawArgs: q.rawArgs, Reason: "Asked by approvald policy explain.", Subject: q.subject, Requested: q.requested,
	})
	if err != nil {
		return a, err
	}
	read, err := c.ReadApproval(ctx, wire.ApprovalReadParams{SessionID: a.session.SessionID, ApprovalID: opened.ApprovalID})
	a.request, a.resolution = read.Request, read.Resolution
	return a, err
}
