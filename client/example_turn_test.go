package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// An agent that others give work: it hears of a turn, asks before it acts, and says when
// it is done.
func ExampleClient_StartTurn() {
	home, stop := demo()
	defer stop()
	ctx := context.Background()

	work := make(chan wire.TurnStarted, 1)
	agent, err := client.Dial(ctx, home.socket("host"), client.Options{ // in a program of its own: "agent"
		Name: "coder", Role: wire.RoleAgent, Reconnect: true,
		OnTurn: func(t wire.TurnStarted) { work <- t }, // the next event waits for it to return
	})
	if err != nil {
		log.Fatal(err)
	}
	started, err := agent.StartSession(ctx, wire.SessionStartParams{WorkspaceRoot: home.workspace()})
	if err != nil {
		log.Fatal(err)
	}
	session := started.Session.SessionID
	go func() {
		for t := range work {
			over := wire.TurnCompleteParams{SessionID: t.SessionID, TurnID: t.TurnID, Terminal: wire.TurnWasCompleted}
			if err := carryOut(ctx, agent, t); err != nil {
				over.Terminal, over.Reason = wire.TurnHasFailed, err.Error()
			}
			if _, err := agent.CompleteTurn(ctx, over); err != nil {
				log.Print(err) // it was interrupted meanwhile
			}
		}
	}()

	// Somebody else, a program with an editor around it, gives it work and reviews it.
	var host *client.Client
	connected := make(chan struct{})
	over := make(chan wire.TurnCompleted, 1)
	host, err = client.Dial(ctx, home.socket("host"), client.Options{
		Name: "editor", Interactive: true,
		OnRequest: func(r wire.ApprovalRequest) {
			<-connected
			fmt.Println("asked about", r.ToolName)
			if _, err := host.Decide(ctx, wire.ApprovalDecideParams{
				SessionID: r.SessionID, ApprovalID: r.ApprovalID, RequirementID: r.CurrentRequirementID, ChoiceID: wire.ChoiceAllowOnce,
			}); err != nil {
				log.Print(err)
			}
		},
		OnNotification: func(e client.Event) {
			if params, err := e.Decode(); err == nil {
				if completed, ok := params.(*wire.TurnCompleted); ok {
					over <- *completed
				}
			}
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	close(connected)
	if _, err := host.ResumeSession(ctx, wire.SessionResumeParams{SessionID: session}); err != nil {
		log.Fatal(err)
	}
	if _, err := host.StartTurn(ctx, wire.TurnStartParams{
		SessionID: session, Input: []json.RawMessage{[]byte(`{"type":"text","text":"fix the build"}`)},
	}); err != nil {
		log.Fatal(err)
	}
	fmt.Println("the turn is", (<-over).Terminal)

	close(work)
	if err := errors.Join(host.Close(), agent.Close()); err != nil {
		log.Print(err)
	}
	// Output:
	// told to: [{"type":"text","text":"fix the build"}]
	// asked about bash
	// building
	// the turn is completed
}

// carryOut is what the agent does in a turn.
func carryOut(ctx context.Context, agent *client.Client, t wire.TurnStarted) error {
	input, err := json.Marshal(t.Input)
	if err != nil {
		return err
	}
	fmt.Println("told to:", string(input))
	return agent.Gate(ctx, wire.ApprovalOpenParams{
		SessionID: t.SessionID, TurnID: t.TurnID, ToolCallID: t.TurnID + "/1", ToolName: "bash", RawArgs: `{"command":"make"}`,
		Reason: "to see what is broken", Subject: []byte(`{"kind":"shell","command":"make"}`),
	}, func(wire.Permit) error {
		fmt.Println("building")
		return nil
	})
}
