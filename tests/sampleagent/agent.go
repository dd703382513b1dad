package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// agent carries out turns, each in a goroutine of its own, so that it hears meanwhile
// that one was interrupted.
type agent struct {
	client *client.Client

	mu      sync.Mutex
	waiting []wire.TurnStarted            // begun before client was set
	started bool                          // client is set
	stops   map[string]context.CancelFunc // by turn
}

// ready takes up what came before the client was known here.
func (a *agent) ready() {
	a.mu.Lock()
	waiting := a.waiting
	a.waiting, a.started = nil, true
	a.mu.Unlock()
	for _, t := range waiting {
		a.begin(t)
	}
}

// begin is called for every turn.
func (a *agent) begin(t wire.TurnStarted) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.started {
		a.waiting = append(a.waiting, t)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	a.stops[t.TurnID] = stop
	go a.carryOut(ctx, t)
}

// notified stops what is being done in a turn that somebody else has ended.
func (a *agent) notified(e client.Event) {
	params, err := e.Decode()
	if over, ok := params.(*wire.TurnCompleted); err == nil && ok {
		a.mu.Lock()
		defer a.mu.Unlock()
		if stop := a.stops[over.TurnID]; stop != nil {
			stop()
			delete(a.stops, over.TurnID)
		}
	}
}

// carryOut goes through the steps of a turn and ends it.
func (a *agent) carryOut(ctx context.Context, t wire.TurnStarted) {
	over := wire.TurnCompleteParams{SessionID: t.SessionID, TurnID: t.TurnID, Terminal: wire.TurnWasCompleted}
	err := a.steps(ctx, t)
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "stopped:", t.TurnID)
		return
	case err != nil:
		over.Terminal, over.Reason = wire.TurnHasFailed, err.Error()
	}
	if _, err := a.client.CompleteTurn(context.Background(), over); err != nil {
		fmt.Fprintln(os.Stderr, "not completed:", err)
	}
}

// steps goes through the lines of a turn's text. A step that was denied is said to be, as
// it would be to a model, and the next one follows. A call has a name that no other turn
// of the session has: one of a turn that is over takes no more questions.
func (a *agent) steps(ctx context.Context, t wire.TurnStarted) error {
	for i, line := range strings.Split(strings.TrimSpace(textOf(t.Input)), "\n") {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		verb, rest, _ := strings.Cut(line, " ")
		err := a.step(ctx, t, fmt.Sprintf("%s/%d", t.TurnID, i+1), verb, rest)
		if denied, ok := errors.AsType[*client.DeniedError](err); ok {
			fmt.Fprintln(os.Stderr, "denied:", denied.Denial.Message)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// step asks for one step and takes the permit; it acts on nothing.
func (a *agent) step(ctx context.Context, t wire.TurnStarted, call, verb, rest string) error {
	p := wire.ApprovalOpenParams{SessionID: t.SessionID, TurnID: t.TurnID, ToolCallID: call, ToolName: verb, Reason: "The turn says so."}
	var subject any
	switch verb {
	case "run":
		subject = map[string]any{"kind": "shell", "command": rest}
	case "write":
		subject = map[string]any{"kind": "fileAccess", "path": rest, "access": "write"}
	case "odd":
		subject = map[string]any{"kind": "teleport", "to": rest}
	case "ask":
		return a.ask(ctx, t, call, rest)
	case "exit":
		code, _ := strconv.Atoi(rest)
		os.Exit(code)
	default:
		return fmt.Errorf("I do not know how to %q.", verb) //nolint:staticcheck // a sentence, which people read
	}
	var err error
	if p.Subject, err = wire.Marshal(subject); err != nil {
		return err
	}
	p.RawArgs = string(p.Subject)
	return a.client.Gate(ctx, p, func(wire.Permit) error {
		fmt.Fprintln(os.Stderr, "permitted:", verb, rest)
		return nil
	})
}

// ask puts a question to a person.
func (a *agent) ask(ctx context.Context, t wire.TurnStarted, call, question string) error {
	opened, err := a.client.OpenInput(ctx, wire.UserInputOpenParams{
		SessionID: t.SessionID, TurnID: t.TurnID, ToolCallID: call, ToolName: "ask",
		Questions: []wire.Question{{ID: "q", Question: question, Selection: wire.Selection{Mode: wire.SelectSingle}}},
	})
	if err != nil {
		return err
	}
	_, err = a.client.AwaitInput(ctx, wire.UserInputAwaitParams{SessionID: t.SessionID, UserInputIDs: []string{opened.UserInputID}})
	return err
}
