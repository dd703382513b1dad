package decide

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// CloseSession ends a session for good: what is pending settles as cancelled
// first (protocol §4, session/close).
type CloseSession struct {
	Intent
	Session approval.ID
	Reason  string // "" for none
}

func (c CloseSession) decide(s *fold.State, env Env) Result {
	session, end := c.enter(s, c.Session)
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
	for _, a := range session.PendingApprovals() {
		d.settle(a, approval.BySessionClose, &record.ApprovalSettled{Reason: "The session was closed."})
	}
	d.add(approval.ID{}, &record.SessionClosed{Reason: reason, By: c.By, Command: c.intake(ack)})
	return d.accepted(ack)
}
