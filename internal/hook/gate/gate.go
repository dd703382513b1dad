package gate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/approvald/approvald/internal/hook"
	"github.com/approvald/approvald/wire"
)

// Gate is where events are asked about.
type Gate struct {
	Dial    func(ctx context.Context) (io.ReadWriteCloser, error)
	Version string // of the client
	Place   string // of the socket, for people
}

// The time between two attempts to reach a daemon that has gone away.
const (
	firstPause = 20 * time.Millisecond
	lastPause  = time.Second
)

// asking is one event on its way.
type asking struct {
	gate  *Gate
	event *hook.Event

	attempt     int // how often the call was asked about again
	lapsed      int // how often because what was decided did not fit any more
	generations hook.Generations
	session     string // "" until it is known
	approval    string // that is waited for; "" for none
	reached     bool   // a daemon has answered
}

// Ask answers an event until the deadline of ctx, which after says in words. Whatever fails is a
// denial that says so.
func (g *Gate) Ask(ctx context.Context, event *hook.Event, after string) hook.Answer {
	a := &asking{gate: g, event: event}
	pause := firstPause
	for {
		answer, err := a.once(ctx)
		switch {
		case err == nil:
			return answer
		case ctx.Err() != nil:
			return a.over(ctx, after, err)
		case !a.reached:
			return a.broken(nobody(g.Place, err))
		case !again(err):
			return a.broken(sentence(err))
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return a.over(ctx, after, nil) // without a connection
		case <-timer.C:
		}
		pause = min(2*pause, lastPause)
	}
}

func (a *asking) broken(why string) hook.Answer { return hook.Broken(a.event.Kind, why) }

// again reports whether the same commands may succeed on another connection.
func again(err error) bool {
	return lost(err) || wire.IsRetryable(err) && !wire.IsKind(err, wire.KindBackpressured)
}

// over is the answer when the time is over, or the agent ended the hook.
func (a *asking) over(ctx context.Context, after string, err error) hook.Answer {
	what := "no approval had been opened for the call yet"
	if a.approval != "" {
		what = "approval " + a.approval + " waits on in approvald, and the same call, made again in this session, takes it up"
	}
	switch {
	case !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return a.broken("it was ended by a signal before anybody had decided: " + what + ".")
	case !a.reached:
		return a.broken(fmt.Sprintf("the approvald daemon at %s did not answer within %s.", a.gate.Place, after))
	case a.event.Call == nil:
		return a.broken(fmt.Sprintf("the approvald daemon did not answer within %s.", after))
	case a.approval == "" || !errors.Is(err, errWaiting):
		return a.broken(fmt.Sprintf("the approvald daemon was gone, or did not answer, when the %s of the hook were over: %s. If it does not run, start it with `approvald serve`.", after, what))
	}
	return a.event.Waits(a.approval, after)
}

// errWaiting wraps the end of a connection that was waiting for a decision.
var errWaiting = errors.New("waiting for a decision")

// nobody is the sentence for a socket on which nobody answers.
func nobody(place string, err error) string {
	return fmt.Sprintf("no approvald daemon answers at %s (%v). Start one with `approvald serve`, then try again.", place, err)
}

// sentence is what a person is told of an error.
func sentence(err error) string {
	if refusal, ok := errors.AsType[*wire.Error](err); ok {
		return fmt.Sprintf("the approvald daemon did not take the question: %s (%s)", refusal.Message, refusal.Data.Kind)
	}
	return fmt.Sprintf("the approvald daemon could not be understood: %v.", err)
}

// once goes the whole way on one connection. What it repeats are the commands of before.
func (a *asking) once(ctx context.Context) (hook.Answer, error) {
	conn, err := a.gate.Dial(ctx)
	if err != nil {
		return hook.Answer{}, &lostError{err}
	}
	l := newLink(ctx, conn)
	defer l.close()
	early, opened, err := a.enter(l)
	if err != nil {
		return hook.Answer{}, err
	}
	switch {
	case a.event.Call != nil:
		return a.gated(l, early)
	case a.event.Kind == hook.SessionEnd && opened:
		_, err = l.call(wire.MethodSessionClose, a.event.Close(a.session))
		if refusedFor(err, wire.ReasonSessionClosed) {
			err = nil
		}
	}
	return hook.Done(), err
}

// quiet are the events that a hook has no use for.
var quiet = []string{
	wire.MethodSessionStarted, wire.MethodSessionStatusChanged, wire.MethodSessionClosed, wire.MethodSessionApprovalModeChanged,
	wire.MethodApprovalRequested, wire.MethodApprovalUpdated, wire.MethodPolicyChanged,
}

func refusedFor(err error, reasons ...wire.Reason) bool {
	refusal, ok := errors.AsType[*wire.Error](err)
	return ok && slices.Contains(reasons, refusal.Data.Reason)
}
