package main

import (
	"context"
	"os"
	"sync"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// asked takes what the daemon tells a person's connection to the menu.
type asked struct {
	requests chan wire.ApprovalRequest
	changes  chan wire.Change
	over     chan struct{} // closed when nobody reads them any more
	once     sync.Once
}

func newAsked() *asked {
	return &asked{
		requests: make(chan wire.ApprovalRequest), changes: make(chan wire.Change), over: make(chan struct{}),
	}
}

// end lets go of a handler that waits for the menu.
func (a *asked) end() { a.once.Do(func() { close(a.over) }) }

// request is called for every approval/request.
func (a *asked) request(r wire.ApprovalRequest) {
	select {
	case a.requests <- r:
	case <-a.over:
	}
}

// notification is called for every notification.
func (a *asked) notification(e client.Event) {
	if e.Method != wire.MethodApprovalUpdated {
		return
	}
	params, err := e.Decode()
	updated, ok := params.(*wire.ApprovalUpdated)
	if err != nil || !ok {
		return // the request that follows says all of it
	}
	select {
	case a.changes <- updated.Change:
	case <-a.over:
	}
}

// errInputEnded says that nobody can answer here any more.
var errInputEnded = exitf(exitDenied, "The terminal's input ended, so the request was withdrawn; nothing was run.")

// choose lets the person at the terminal decide, unless somebody else does. It
// reads from the terminal only while a question is open, and then no more than
// the line that answers it: the rest is for the command.
func (e *execution) choose(ctx context.Context, settled <-chan settlement) (*wire.Resolution, error) {
	input, err := newLineInput(int(os.Stdin.Fd()))
	if err != nil {
		return nil, err
	}
	defer input.close()
	d := &dialog{out: os.Stderr}
	decided := make(chan verdict, 1)
	reading, deciding := false, false
	for {
		if d.open() && !reading {
			reading = true
			input.want()
		}
		over := settled
		if deciding {
			over = nil // whether it was this decision is known when that is answered
		}
		select {
		case r := <-e.asked.requests:
			d.ask(&r)
		case change := <-e.asked.changes:
			d.changed(change)
		case line := <-input.lines:
			reading = false
			if line.err != nil {
				return nil, errInputEnded
			}
			if p := d.answer(line.text); p != nil {
				deciding = true
				go func() { decided <- e.decide(ctx, *p) }()
			}
		case v := <-decided:
			deciding = false
			d.decided(v)
		case s := <-over:
			if s.err == nil {
				d.settled(s.resolution)
			}
			return s.resolution, s.err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// verdict is what became of a decision.
type verdict struct {
	requirement wire.RequirementID
	terminal    bool
	err         error
}

func (e *execution) decide(ctx context.Context, p wire.ApprovalDecideParams) verdict {
	ack, err := e.client.Decide(ctx, p)
	return verdict{p.RequirementID, ack.Terminal, err}
}
