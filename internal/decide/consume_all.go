package decide

import (
	"fmt"
	"strings"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// ConsumeAll takes what was decided about a batch of calls, once (protocol §7,
// approval/consumeAll): exactly the approvals that are named, which are not
// looked up again, and none while one is undecided.
type ConsumeAll struct {
	Intent
	Session approval.ID
	Run     string
	Items   []Taking // no approval twice
}

// Taking is one approval of a batch. Action and Changed are as Consume has them.
type Taking struct {
	Approval   approval.ID
	ToolCall   string
	ArgsDigest string
	Expect     wire.PolicyResult // "" where the caller takes any
	Action     approval.Action
	Changed    string
}

func (c ConsumeAll) concerns(*fold.State) approval.ID { return c.Session }

// The order of checks is that of protocol §7: each is made of all items before
// the next.
func (c ConsumeAll) decide(s *fold.State, env Env) Result {
	session, end := c.enter(s, env, c.Session)
	switch {
	case end != nil:
		return *end
	case session.Closed:
		return Result{Refusal: sessionClosed(session, c.Intent)}
	}
	approvals := make([]*fold.Approval, len(c.Items))
	for i, item := range c.Items {
		a, ok := session.Approval(item.Approval)
		if !ok {
			return Result{Refusal: ApprovalNotFound(item.Approval)}
		}
		approvals[i] = a
	}
	for i, item := range c.Items {
		if reason, why := item.differs(approvals[i], c.Run); reason != "" {
			return refused(s, env, session, c.Intent, mismatched(approvals[i], reason, why, "prepare the batch again"))
		}
	}
	for _, a := range approvals {
		if a.Pending() {
			return Result{Refusal: stillPending(a)}
		}
	}
	d := newDraft(s, env, session.ID, c.Command)
	ack := wire.ApprovalConsumeAllResult{Ack: wire.Accepted(c.Command.String())}
	var take []*fold.Approval
	for i, item := range c.Items {
		a := approvals[i]
		conflict := item.conflict(d, session, a)
		if conflict == "" {
			take = append(take, a)
		}
		ack.Decisions = append(ack.Decisions, decision(a, conflict))
	}
	encoded := encode(ack)
	if len(encoded) > maxAck {
		return Result{Refusal: tooMuchToSay(len(c.Items))}
	}
	if len(take) == 0 {
		return unchanged(s, env, session.ID, c.Intent, encoded)
	}
	entry := c.intake(encoded)
	for _, a := range take {
		d.add(a.ID, &record.ApprovalConsumed{Opened: a.Opened, By: c.By, Command: entry})
		entry = nil // one record of a command is the ledger's entry
	}
	return d.accepted(encoded)
}

// maxAck is the largest ack that there is room for in a frame, beside an id.
const maxAck = wire.MaxFrame - 16<<10

// tooMuchToSay refuses to take decisions that could not be told: what reviewers
// said of each may be long, and whoever takes a permit must hear of it.
func tooMuchToSay(items int) *wire.Error {
	return wire.NewError(wire.CodeInvalidParams, fmt.Sprintf(
		"items: what was decided about these %d is more than a frame can hold. Nothing was consumed; take fewer at once.", items))
}

// differs says why the approval is not the one that was prepared for the call;
// "" where it is.
func (t Taking) differs(a *fold.Approval, run string) (reason wire.Reason, why string) {
	if a.Settled != nil && a.Settled.Successor != nil {
		return wire.ReasonSuperseded, fmt.Sprintf("a restart replaced it by %s", a.Settled.Successor)
	}
	switch {
	case a.Claim.Run != run:
		return wire.ReasonCallMismatch, "it was not opened for this run"
	case t.ToolCall != a.ToolCallID:
		return wire.ReasonCallMismatch, "it was for another tool call"
	case t.ArgsDigest != a.Claim.ArgsDigest:
		return wire.ReasonArgsMismatch, "the arguments are not those that were approved"
	}
	return "", ""
}

// conflict says why a decided approval is not taken; "" where it is.
func (t Taking) conflict(d *draft, session *fold.Session, a *fold.Approval) string {
	switch decided := wire.PolicyResult(a.Settled.PolicyResult); {
	case !a.ConsumedBy.IsZero():
		return "what was decided about it was taken by somebody else"
	case a.Voided != "":
		return ended(wire.Reason(a.Voided))
	case t.Expect != "" && t.Expect != decided:
		return fmt.Sprintf("the decision that was looked at was %s, and it is %s", t.Expect, decided)
	}
	_, why := d.lapsed(session, a, t.Action, t.Changed)
	return why
}

// decision is what the caller may do about one call: what was decided, or, where
// that is not taken, nothing.
func decision(a *fold.Approval, conflict string) wire.ConsumedDecision {
	resolution := a.Resolution()
	out := wire.ConsumedDecision{
		ApprovalID: resolution.ApprovalID, ToolCallID: resolution.ToolCallID,
		PolicyResult: resolution.PolicyResult, Outcome: resolution.Outcome, Decision: resolution.Decision,
		Consumed: true, Permit: resolution.Permit, Denial: resolution.Denial,
	}
	if conflict != "" {
		out.Consumed, out.Permit, out.PolicyResult, out.Decision = false, nil, wire.PolicyDeny, wire.DecisionDenied
		out.Denial = &wire.Denial{Kind: wire.DenialConflict, Message: fmt.Sprintf(
			"The call of %q was not carried out: %s. Repeating the same call will not help.", a.ToolName, strings.TrimSuffix(conflict, "."))}
	}
	return out
}
