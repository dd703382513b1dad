package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// farewell bounds what exec does for the log before it ends: the daemon may be
// gone, and an agent's connection that ends cancels what it asked anyway.
const farewell = 2 * time.Second

// ask asks whether p may run and returns the answer. It leaves no connection.
func (e *execution) ask(ctx context.Context, p *program) (*wire.Resolution, error) {
	defer e.client.Close()
	defer e.asked.end()
	session, err := e.startSession(ctx, p)
	if err != nil {
		return nil, err
	}
	defer e.endSession(session)
	opened, err := e.open(ctx, session, p)
	if err != nil {
		return nil, err
	}
	r := opened.Resolution
	if opened.State != wire.StateResolved {
		r, err = e.wait(ctx, session, opened.ApprovalID)
	}
	if err == nil && r.PolicyResult == wire.PolicyAllow {
		err = e.take(ctx, session, r)
	}
	if err != nil {
		e.withdraw(session)
	}
	return r, err
}

// take takes the permit: what is run was allowed, the rules of now included, and
// the log knows that it was run.
func (e *execution) take(ctx context.Context, session string, r *wire.Resolution) error {
	if r.Permit == nil {
		return fmt.Errorf("the daemon says that approval %s is allowed and gives no permit", r.ApprovalID)
	}
	taken, err := e.client.Consume(ctx, wire.ApprovalConsumeParams{
		SessionID: session, ApprovalID: r.ApprovalID, ToolCallID: r.ToolCallID, ArgsDigest: r.Permit.ArgsDigest,
	})
	if refusal, ok := errors.AsType[*wire.Error](err); ok && wire.IsKind(err, wire.KindApprovalMismatch) {
		return exitf(exitDenied, "The command was not run. %s", refusal.Message)
	}
	if err == nil && (!taken.Consumed || taken.PolicyResult != wire.PolicyAllow) {
		return exitf(exitDenied, "The command was not run: its permit was not given.")
	}
	return err
}

// startSession starts the session of this one command. Where its directory may
// be no workspace (a home directory, protocol §2) the session has none.
func (e *execution) startSession(ctx context.Context, p *program) (string, error) {
	start := wire.SessionStartParams{
		WorkspaceRoot: p.cwd, Name: "exec", CancelOnDisconnect: true, Unattended: e.waitsFor(),
	}
	r, err := e.client.StartSession(ctx, start)
	if wire.IsKind(err, wire.KindInvalidParams) {
		start.WorkspaceRoot = ""
		r, err = e.client.StartSession(ctx, start)
	}
	return r.Session.SessionID, err
}

// waitsFor says what is to be done where no reviewer is there. A person at the
// terminal is one.
func (e *execution) waitsFor() wire.Unattended {
	switch {
	case e.unattended != "":
		return wire.Unattended(e.unattended)
	case e.person:
		return wire.UnattendedPark
	}
	return wire.UnattendedRefuse
}

// open opens the approval. The command is the argv in the quotes of a shell, so
// that its one stage is exactly the argv; what runs is the argv itself.
func (e *execution) open(ctx context.Context, session string, p *program) (wire.ApprovalOpenResult, error) {
	args, err := wire.Marshal(map[string]any{"argv": p.argv, "cwd": p.cwd})
	if err != nil {
		return wire.ApprovalOpenResult{}, err
	}
	subject, err := wire.Marshal(wire.OpenShell{
		Kind: wire.SubjectShell, Command: shellWords(p.argv), Cwd: p.cwd, Path: os.Getenv("PATH"),
	})
	if err != nil {
		return wire.ApprovalOpenResult{}, err
	}
	return e.client.Open(ctx, wire.ApprovalOpenParams{
		SessionID: session, ToolCallID: client.NewCommandID(), ToolName: "exec",
		RawArgs: string(args), Reason: e.reason, Subject: subject,
	})
}

// wait waits for the decision, also across restarts of the daemon.
func (e *execution) wait(ctx context.Context, session, approval string) (*wire.Resolution, error) {
	settled := make(chan settlement, 1)
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	go func() { settled <- e.await(waiting, session, approval) }()
	if e.person {
		return e.choose(ctx, settled)
	}
	fmt.Fprintf(os.Stderr, "approvald: waiting for a reviewer: %s\n", e.dirs.hint("decide "+approval+" allow_once"))
	s := <-settled
	return s.resolution, s.err
}

// settlement is how a wait ended.
type settlement struct {
	resolution *wire.Resolution
	err        error
}

func (e *execution) await(ctx context.Context, session, approval string) settlement {
	r, err := e.client.Await(ctx, wire.ApprovalAwaitParams{SessionID: session, ApprovalIDs: []string{approval}})
	switch {
	case err != nil:
		return settlement{err: err}
	case len(r.Results) != 1 || r.Results[0].Resolution == nil:
		return settlement{err: fmt.Errorf("the daemon says that approval %s is settled and not how", approval)}
	}
	return settlement{resolution: r.Results[0].Resolution}
}

// withdraw cancels what is pending under whichever id, as well as it can.
func (e *execution) withdraw(session string) {
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	_, err := e.client.Cancel(ctx, wire.ApprovalCancelParams{SessionID: session, All: true, Reason: "approvald exec was ended."})
	if err != nil {
		fmt.Fprintf(os.Stderr, "approvald: the request could not be withdrawn and may still be listed: %s\n", visible(err.Error()))
	}
}

// endSession closes the session, which has served its purpose; where that fails
// it stays in the list of sessions, idle.
func (e *execution) endSession(session string) {
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	_, _ = e.client.CloseSession(ctx, wire.SessionCloseParams{SessionID: session, Reason: "exec ended"})
}
