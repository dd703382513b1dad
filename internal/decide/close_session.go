package decide

import (
	"iter"
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// CloseSession ends a session for good, and those below it: what is pending
// settles as cancelled first, then its open turn ends (protocol §4, session/close;
// policy.md "Sub-agents"). A child is closed before its parent.
type CloseSession struct {
	Intent
	Session approval.ID
	Reason  string // "" for none
}

func (c CloseSession) concerns(*fold.State) approval.ID { return c.Session }

func (c CloseSession) decide(s *fold.State, env Env) Result {
	session, end := c.enter(s, env, c.Session)
	switch {
	case end != nil:
		return *end
	case session.Closed:
		return Result{Refusal: sessionClosed(session, c.Intent)}
	}
	reason := c.Reason
	if reason == "" {
		reason = string(wire.CloseRequested)
	}
	ack := encode(wire.SessionCloseResult{Ack: wire.Accepted(c.Command.String())})
	d := newDraft(s, env, session.ID, c.Command)
	for _, below := range backward(s.Family(session)) {
		if below.ID != session.ID && !below.Closed {
			d.in(below.ID, func() { d.close(string(wire.CloseWithParent), c.By, nil) })
		}
	}
	d.close(reason, c.By, c.intake(ack))
	return d.accepted(ack)
}

// close ends the draft's session.
func (d *draft) close(reason string, by record.Party, intake *record.Intake) {
	for _, a := range d.now().PendingApprovals() {
		d.settle(a, approval.BySessionClose, &record.ApprovalSettled{Reason: "The session was closed."})
	}
	d.cancelPrompts(d.now().PendingPrompts(), wire.SourceSession, "The session was closed.")
	if open, ok := d.now().OpenTurn(); ok { // its permits are void with those of the session
		d.noteTurnEnd(&record.TurnEnded{
			TurnID: open.ID.String(), Terminal: string(wire.TurnWasCancelled), Reason: "The session was closed.", By: by,
		})
	}
	d.add(approval.ID{}, &record.SessionClosed{Reason: reason, By: by, Command: intake})
}

// backward collects what seq yields, the last first.
func backward[V any](seq iter.Seq[V]) []V {
	all := slices.Collect(seq)
	slices.Reverse(all)
	return all
}
