package decide

import (
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// Cancel withdraws pending approvals and prompts and voids permits that nobody has
// taken (protocol §7, approval/cancel). Exactly one of Approval, ToolCall, Turn and All is set.
type Cancel struct {
	Intent
	Session  approval.ID
	Approval approval.ID
	ToolCall string // with the calls nested in it
	Turn     string // with the calls nested in its own
	All      bool   // with those of the sessions below
	Reason   string // "" for none
}

func (c Cancel) concerns(*fold.State) approval.ID { return c.Session }

func (c Cancel) decide(s *fold.State, env Env) Result {
	session, end := c.enter(s, env, c.Session)
	switch {
	case end != nil:
		return *end
	case session.Closed:
		return Result{Refusal: sessionClosed(session, c.Intent)}
	}
	nest := c.nest(session)
	approvals, refusal := c.reach(session, nest)
	if refusal != nil {
		return Result{Refusal: refusal}
	}
	d := newDraft(s, env, session.ID, c.Command)
	entry := c.intake(nil)
	d.entry = entry
	cancelled := c.withdraw(d, approvals, c.prompts(session, nest))
	d.void(c.permits(session, nest), c.voids(), &c.By)
	if c.All {
		for below := range s.Family(session) {
			approvals, prompts, permits := below.PendingApprovals(), below.PendingPrompts(), c.permits(below, nil)
			if below.ID == session.ID || len(approvals)+len(prompts)+len(permits) == 0 {
				continue
			}
			d.note(c.By) // the ledger is this session's, whoever's are settled
			d.in(below.ID, func() {
				cancelled = append(cancelled, c.withdraw(d, approvals, prompts)...)
				d.void(permits, c.voids(), &c.By)
			})
		}
	}
	ack := encode(wire.ApprovalCancelResult{Ack: wire.Accepted(c.Command.String()), Cancelled: cancelled})
	if len(d.records) == 0 {
		return unchanged(s, env, session.ID, c.Intent, ack)
	}
	entry.Ack = ack
	return d.accepted(ack)
}

// withdraw settles approvals and prompts of the draft's session and names them.
func (c Cancel) withdraw(d *draft, approvals []*fold.Approval, prompts []*fold.Prompt) (cancelled []string) {
	for _, a := range approvals {
		d.settle(a, approval.ByAgentCancel, &record.ApprovalSettled{Reason: cancelReason(c.Reason)})
		cancelled = append(cancelled, a.ID.String())
	}
	return append(cancelled, d.cancelPrompts(prompts, wire.SourceAgent, cancelReason(c.Reason))...)
}

// nest is the call or turn that ends; nil where one approval is named, or all.
func (c Cancel) nest(session *fold.Session) *fold.Nest {
	switch {
	case c.ToolCall != "":
		return session.InCall(c.ToolCall)
	case c.Turn != "":
		return session.InTurn(c.Turn)
	}
	return nil
}

// prompts are the pending prompts that the command settles: those of the call or turn
// that ends, or all.
func (c Cancel) prompts(session *fold.Session, nest *fold.Nest) []*fold.Prompt {
	return slices.DeleteFunc(session.PendingPrompts(), func(p *fold.Prompt) bool {
		if nest != nil {
			return !nest.Prompt(p)
		}
		return !c.All
	})
}

// permits are the unconsumed permits that the command voids.
func (c Cancel) permits(session *fold.Session, nest *fold.Nest) []*fold.Approval {
	if !c.Approval.IsZero() {
		if a, ok := session.Approval(c.Approval); ok && permitted(a) {
			return []*fold.Approval{a}
		}
		return nil
	}
	return session.Claims(func(a *fold.Approval) bool { return permitted(a) && c.covers(nest, a) })
}

// voids is why they are void (protocol §7, approval/consume).
func (c Cancel) voids() wire.Reason {
	if c.Turn != "" {
		return wire.ReasonPermitTurnEnded
	}
	return wire.ReasonCallEnded
}

// permitted reports whether an approval is a permit that nobody has taken.
func permitted(a *fold.Approval) bool {
	return !a.Pending() && a.Claimable() && approval.Outcome(a.Settled.Outcome).Allows()
}

// void ends permits of the draft's session.
func (d *draft) void(permits []*fold.Approval, reason wire.Reason, by *record.Party) {
	if len(permits) > 0 && by != nil {
		d.note(*by) // the record of a void permit is no entry of the ledger
	}
	for _, a := range permits {
		d.add(a.ID, &record.PermitVoided{Opened: a.Opened, Reason: string(reason), By: by})
	}
}

// reach are the approvals that the command settles, in opening order. An approval that is
// named is looked up and not searched for: an agent may withdraw as many as a
// session can hold, one by one.
func (c Cancel) reach(session *fold.Session, nest *fold.Nest) ([]*fold.Approval, *wire.Error) {
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
	return slices.DeleteFunc(session.PendingApprovals(), func(a *fold.Approval) bool { return !c.covers(nest, a) }), nil
}

func (c Cancel) covers(nest *fold.Nest, a *fold.Approval) bool {
	if nest != nil {
		return nest.Approval(a)
	}
	return c.All
}

func cancelReason(given string) string {
	if given == "" {
		return "The agent withdrew it."
	}
	return "The agent withdrew it: " + given
}
