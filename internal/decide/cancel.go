package decide

import (
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
	All      bool
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
	if !c.Approval.IsZero() {
		if _, ok := session.Approval(c.Approval); !ok {
			return Result{Refusal: ApprovalNotFound(c.Approval)}
		}
	}
	d := newDraft(s, env, session.ID, c.Command)
	entry := c.intake(nil)
	d.entry = entry
	ack := wire.ApprovalCancelResult{Ack: wire.Accepted(c.Command.String())}
	for _, a := range session.PendingApprovals() {
		if !c.covers(session, a) {
			continue
		}
		d.settle(a, approval.ByAgentCancel, &record.ApprovalSettled{Reason: cancelReason(c.Reason)})
		ack.Cancelled = append(ack.Cancelled, a.ID.String())
	}
	if len(ack.Cancelled) == 0 {
		return unchanged(s, env, session.ID, c.Intent, encode(ack))
	}
	entry.Ack = encode(ack)
	return d.accepted(entry.Ack)
}

func (c Cancel) covers(session *fold.Session, a *fold.Approval) bool {
	switch {
	case !c.Approval.IsZero():
		return a.ID == c.Approval
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
