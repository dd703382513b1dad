package decide

import (
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// Cancel withdraws pending approvals (protocol §7, approval/cancel). Exactly
// one of Approval, ToolCall, Turn and All is set.
type Cancel struct {
	Intent
	Session  approval.ID
	Approval approval.ID
	ToolCall string // with the calls nested in it
	Turn     string // with the calls nested in its own
	All      bool   // with those of the sessions below
	Reason   string // "" for none
}

func (c Cancel) decide(s *fold.State, env Env) Result {
	session, end := c.enter(s, c.Session)
	switch {
	case end != nil:
		return *end
	case session.Closed:
		return Result{Refusal: sessionClosed(session, c.Intent)}
	}
	reach, refusal := c.reach(session)
	if refusal != nil {
		return Result{Refusal: refusal}
	}
	d := newDraft(s, env, session.ID, c.Command)
	entry := c.intake(nil)
	d.entry = entry
	ack := wire.ApprovalCancelResult{Ack: wire.Accepted(c.Command.String())}
	withdraw := func(reach []*fold.Approval) {
		for _, a := range reach {
			d.settle(a, approval.ByAgentCancel, &record.ApprovalSettled{Reason: cancelReason(c.Reason)})
			ack.Cancelled = append(ack.Cancelled, a.ID.String())
		}
	}
	withdraw(reach)
	if c.All && session.Below > 0 {
		d.note(c.By) // the ledger is this session's, whoever's approvals are settled
		for below := range s.Family(session) {
			if below.ID != session.ID {
				d.in(below.ID, func() { withdraw(below.PendingApprovals()) })
			}
		}
	}
	if len(ack.Cancelled) == 0 {
		return unchanged(s, env, session.ID, c.Intent, encode(ack))
	}
	entry.Ack = encode(ack)
	return d.accepted(entry.Ack)
}

// reach is what the command settles, in opening order. An approval that is
// named is looked up and not searched for: an agent may withdraw as many as a
// session can hold, one by one.
func (c Cancel) reach(session *fold.Session) ([]*fold.Approval, *wire.Error) {
	if !c.Approval.IsZero() {
		a, ok := session.Approval(c.Approval)
		switch {
		case !ok:
			return nil, ApprovalNotFound(c.Approval)
		case !a.Pending():
			return nil, nil
		}
		return []*fold.Approval{a}, nil
	}
	return slices.DeleteFunc(session.PendingApprovals(), func(a *fold.Approval) bool { return !c.covers(session, a) }), nil
}

func (c Cancel) covers(session *fold.Session, a *fold.Approval) bool {
	switch {
	case c.ToolCall != "":
		return session.InCall(a, c.ToolCall)
	case c.Turn != "":
		return session.InTurn(a, c.Turn)
	}
	return c.All
}

func cancelReason(given string) string {
	if given == "" {
		return "The agent withdrew it."
	}
	return "The agent withdrew it: " + given
}
