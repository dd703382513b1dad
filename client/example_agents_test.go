package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// desk is a daemon with an agent's session in it, and a reviewer for the examples.
type desk struct {
	ctx     context.Context //nolint:containedctx // an example's, to keep its lines short
	agent   *client.Client
	host    *client.Client
	session string
}

func newDesk() (d desk, leave func()) {
	home, stop := demo()
	d.ctx = context.Background()
	for _, c := range []struct {
		to   **client.Client
		role wire.Role
	}{{&d.agent, wire.RoleAgent}, {&d.host, wire.RoleReviewer}} {
		var err error
		if *c.to, err = client.Dial(d.ctx, home.socket("host"), client.Options{Role: c.role}); err != nil {
			log.Fatal(err)
		}
	}
	started, err := d.agent.StartSession(d.ctx, wire.SessionStartParams{WorkspaceRoot: home.workspace()})
	if err != nil {
		log.Fatal(err)
	}
	d.session = started.Session.SessionID
	return d, func() {
		if err := errors.Join(d.agent.Close(), d.host.Close()); err != nil {
			log.Print(err)
		}
		stop()
	}
}

// decides decides the approval as a reviewer.
func (d desk) decides(id string, choice wire.ChoiceID, feedback *string) {
	if _, err := d.host.Decide(d.ctx, wire.ApprovalDecideParams{
		SessionID: d.session, ApprovalID: id, RequirementID: wire.RequirementID{ApprovalID: id}, ChoiceID: choice, Feedback: feedback,
	}); err != nil {
		log.Fatal(err)
	}
}

// decidesNext decides whatever is opened next.
func (d desk) decidesNext(choice wire.ChoiceID, feedback *string) {
	events, err := d.host.Subscribe(d.ctx, d.session, client.Head())
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		e, err := events.Next(d.ctx)
		if err != nil {
			log.Fatal(err)
		}
		if r, err := e.Decode(); err != nil {
			log.Print(err)
		} else if request, ok := r.(*wire.ApprovalRequest); ok {
			d.decides(request.ApprovalID, choice, feedback)
		}
		if err := events.Close(d.ctx); err != nil {
			log.Print(err)
		}
	}()
}

// A tool runs behind a gate: with a permit, once, or not at all.
func ExampleClient_Gate() {
	desk, leave := newDesk()
	defer leave()
	ctx, agent, session := desk.ctx, desk.agent, desk.session
	desk.decidesNext(wire.ChoiceAbort, new("Run the tests first."))

	call := wire.ApprovalOpenParams{
		SessionID: session, ToolCallID: "call_1", ToolName: "bash", RawArgs: `{"command":"make deploy"}`,
		Reason:  "deploy the new version",
		Subject: []byte(`{"kind":"shell","command":"make deploy"}`),
	}
	err := agent.Gate(ctx, call, func(permit wire.Permit) error {
		fmt.Println("deploying")
		return nil
	})
	if denied, ok := errors.AsType[*client.DeniedError](err); ok {
		fmt.Println(denied.Outcome)
		fmt.Println(denied.Denial.Message) // for the model
	} else if err != nil {
		log.Fatal(err)
	}
	// Output:
	// rejected
	// The call of "bash" was not carried out: a reviewer rejected it. The reviewer says: Run the tests first. Repeating the same call will not help.
}

// A run has paused for two calls, which are decided one a pass: it takes three
// passes, and reviewers are asked twice.
func ExampleClient_AskEach() {
	desk, leave := newDesk()
	defer leave()
	ctx, agent, session := desk.ctx, desk.agent, desk.session
	choices := map[string]wire.ChoiceID{"call_1": wire.ChoiceAllowOnce, "call_2": wire.ChoiceAbort}

	batch := client.Batch{SessionID: session, RunID: "run_1", Requests: []wire.ApprovalPrepareRequest{
		{
			ToolCallID: "call_1", ToolName: "bash", RawArgs: `{"command":"make test"}`, Reason: "run the tests",
			Subject: []byte(`{"kind":"shell","command":"make test"}`),
		},
		{
			ToolCallID: "call_2", ToolName: "fetch", RawArgs: `{"url":"https://example.com/"}`, Reason: "read the docs",
			Subject: []byte(`{"kind":"network","url":"https://example.com/"}`),
		},
	}}
	for pass := 1; ; pass++ {
		decisions, err := agent.AskEach(ctx, batch)
		if pending, ok := errors.AsType[*client.PendingError](err); ok {
			fmt.Printf("pass %d: %v\n", pass, pending)
			desk.decides(pending.ApprovalID, choices[pending.ToolCallID], nil) // a reviewer does, meanwhile
			_, err = agent.Await(ctx, wire.ApprovalAwaitParams{SessionID: session, ApprovalIDs: pending.Undecided, Any: true})
			if err != nil {
				log.Fatal(err)
			}
			continue
		}
		if err != nil {
			log.Fatal(err)
		}
		for _, d := range decisions {
			fmt.Printf("pass %d: %s %s\n", pass, d.ToolCallID, d.PolicyResult)
		}
		break
	}

	page, err := agent.Page(ctx, wire.ViewPageParams{SessionID: session, Limit: 100})
	if err != nil {
		log.Fatal(err)
	}
	asked := 0
	for _, e := range page.Events {
		if e.Method == wire.MethodApprovalRequested {
			asked++
		}
	}
	fmt.Println("reviewers were asked about", asked, "approvals")
	// Output:
	// pass 1: the call "call_1" is not decided yet
	// pass 2: the call "call_2" is not decided yet
	// pass 3: call_1 allow
	// pass 3: call_2 deny
	// reviewers were asked about 2 approvals
}
