package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// demo runs a daemon for an example and gives its home. A program would Dial the
// sockets of the daemon that runs on its machine.
func demo() (h home, stop func()) {
	h, err := newHome()
	if err != nil {
		log.Fatal(err)
	}
	d, err := h.serve()
	if err != nil {
		log.Fatal(err)
	}
	return h, func() {
		if err := errors.Join(d.Close(), h.remove()); err != nil {
			log.Print(err)
		}
	}
}

// An agent hands a command in and waits; a reviewer is asked and decides.
func Example() {
	home, stop := demo()
	defer stop()
	ctx := context.Background()

	// The reviewer. OnRequest runs for everything that waits for a decision. (In
	// programs of their own the two would use the reviewer and the agent socket;
	// a process that is an agent there is kept from reviewing.)
	var reviewer *client.Client
	connected := make(chan struct{})
	reviewer, err := client.Dial(ctx, home.socket("host"), client.Options{
		Name: "my_inbox", Role: wire.RoleReviewer, Interactive: true, AllSessions: true, Reconnect: true,
		OnRequest: func(r wire.ApprovalRequest) {
			<-connected
			for _, c := range r.AvailableChoices {
				fmt.Printf("%-12s %s\n", c.ChoiceID, c.Label)
			}
			_, err := reviewer.Decide(ctx, wire.ApprovalDecideParams{
				SessionID: r.SessionID, ApprovalID: r.ApprovalID,
				RequirementID: r.CurrentRequirementID, ChoiceID: wire.ChoiceAllowOnce,
			})
			if err != nil {
				log.Print(err)
			}
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer reviewer.Close()
	close(connected)

	// The agent. It has the wait outlive restarts of the daemon.
	agent, err := client.Dial(ctx, home.socket("host"), client.Options{Name: "my_agent", Role: wire.RoleAgent, Reconnect: true})
	if err != nil {
		log.Fatal(err)
	}
	defer agent.Close()
	started, err := agent.StartSession(ctx, wire.SessionStartParams{WorkspaceRoot: home.workspace()})
	if err != nil {
		log.Fatal(err)
	}
	session := started.Session.SessionID
	opened, err := agent.Open(ctx, wire.ApprovalOpenParams{
		SessionID: session, ToolCallID: "call_1", ToolName: "bash", RawArgs: `{"command":"make test"}`,
		Reason:  "run the tests",
		Subject: []byte(`{"kind":"shell","command":"make test"}`),
	})
	if err != nil {
		log.Fatal(err)
	}
	answer, err := agent.Await(ctx, wire.ApprovalAwaitParams{SessionID: session, ApprovalIDs: []string{opened.ApprovalID}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Results[0].Resolution.PolicyResult, answer.Results[0].Resolution.Outcome)

	// Output:
	// allow_once   Allow once
	// allow_session Allow for this session
	// abort        Reject
	// allow allowedOnce
}

// Of two deciders the second is told who won.
func ExampleClient_Decide() {
	home, stop := demo()
	defer stop()
	ctx := context.Background()
	c, err := client.Dial(ctx, home.socket("host"), client.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	started, err := c.StartSession(ctx, wire.SessionStartParams{WorkspaceRoot: home.workspace()})
	if err != nil {
		log.Fatal(err)
	}
	opened, err := c.Open(ctx, wire.ApprovalOpenParams{
		SessionID: started.Session.SessionID, ToolCallID: "call_1", ToolName: "fetch", RawArgs: `{}`, Reason: "read the docs",
		Subject: []byte(`{"kind":"network","url":"https://example.com/docs"}`),
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, choice := range []wire.ChoiceID{wire.ChoiceAbort, wire.ChoiceAllowOnce} {
		_, err := c.Decide(ctx, wire.ApprovalDecideParams{
			SessionID: started.Session.SessionID, ApprovalID: opened.ApprovalID,
			RequirementID: wire.RequirementID{ApprovalID: opened.ApprovalID}, ChoiceID: choice,
		})
		var refusal *wire.Error
		if errors.As(err, &refusal) && refusal.Data.Kind == wire.KindApprovalAlreadyResolved {
			fmt.Println("too late:", refusal.Data.Resolution.Outcome, "by", refusal.Data.Resolution.ResolvedBy)
		} else if err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// too late: rejected by user
}

// A subscription reads a session's events from any position on.
func ExampleClient_Subscribe() {
	home, stop := demo()
	defer stop()
	ctx := context.Background()
	c, err := client.Dial(ctx, home.socket("host"), client.Options{Reconnect: true})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	started, err := c.StartSession(ctx, wire.SessionStartParams{WorkspaceRoot: home.workspace()})
	if err != nil {
		log.Fatal(err)
	}
	session := started.Session.SessionID
	if _, err := c.Open(ctx, wire.ApprovalOpenParams{
		SessionID: session, ToolCallID: "call_1", ToolName: "fetch", RawArgs: `{}`, Reason: "read the docs",
		Subject: []byte(`{"kind":"network","url":"https://example.com/docs"}`),
	}); err != nil {
		log.Fatal(err)
	}
	if _, err := c.Cancel(ctx, wire.ApprovalCancelParams{SessionID: session, All: true}); err != nil {
		log.Fatal(err)
	}

	events, err := c.Subscribe(ctx, session, client.Start())
	if err != nil {
		log.Fatal(err)
	}
	for e, err := range events.Events(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		params, err := e.Decode()
		if err != nil {
			continue // of a newer daemon
		}
		switch p := params.(type) {
		case *wire.ApprovalRequest:
			fmt.Println("asked: ", p.ToolName, p.Reason)
		case *wire.ApprovalResolved:
			fmt.Println("settled:", p.Outcome)
			if err := events.Close(ctx); err != nil {
				log.Fatal(err)
			}
			return
		}
	}
	// Output:
	// asked:  fetch read the docs
	// settled: cancelled
}
