package decide

import (
	"fmt"
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// Prepare finds or opens one unconsumed approval of each call of a batch
// (protocol §7, approval/prepare): all of them, or nothing.
type Prepare struct {
	Intent
	Session approval.ID
	Run     string
	// Requests are what Open has of each call; their Intent and Session are the
	// batch's. Each has a tool call id of its own and Run as its run.
	Requests []Open
}

func (c Prepare) concerns(*fold.State) approval.ID { return c.Session }

// Nothing is opened before every check is made: the records of a command that is
// refused halfway would already be in the state.
func (c Prepare) decide(s *fold.State, env Env) Result {
	session, end := c.enter(s, env, c.Session)
	switch {
	case end != nil:
		return *end
	case session.Closed:
		return Result{Refusal: sessionClosed(session, c.Intent)}
	}
	c.Requests = slices.Clone(c.Requests)            // what is placed is completed
	found := make([]*fold.Approval, len(c.Requests)) // nil: to be opened
	create := 0
	for i, request := range c.Requests {
		if a, ok := session.Prepared(c.Run, request.Action.ToolCallID); ok {
			found[i] = a
			continue
		}
		create++
		if refusal := request.unopenable(); refusal != nil {
			return Result{Refusal: inRequest(i, refusal)}
		}
		if refusal := c.place(s, session, &c.Requests[i].Action); refusal != nil {
			return misplaced(s, env, session, c.Intent, inRequest(i, refusal))
		}
	}
	for i, request := range c.Requests {
		switch a := found[i]; {
		case a == nil && request.Stale != nil:
			return refused(s, env, session, c.Intent, inRequest(i, request.Stale))
		case a != nil:
			if reason, why := request.differs(a); reason != "" {
				return refused(s, env, session, c.Intent, prepared(a, reason, why))
			}
		}
	}
	if create > 0 && session.Pending+create > env.Limits.MaxPending {
		return Result{Refusal: backpressured(env.Limits.MaxPending)}
	}
	return c.carryOut(s, env, session, found)
}

// carryOut opens what was not found. The first opening record is the ledger's
// entry; where there is none, the command has one of its own.
func (c Prepare) carryOut(s *fold.State, env Env, session *fold.Session, found []*fold.Approval) Result {
	d := newDraft(s, env, session.ID, c.Command)
	entry := c.intake(nil)
	ack := wire.ApprovalPrepareResult{Ack: wire.Accepted(c.Command.String())}
	for i, request := range c.Requests {
		one := wire.PreparedApproval{Created: found[i] == nil}
		a := found[i]
		if one.Created {
			o := request.opening(d.now(), env)
			o.by = c.By
			if len(d.records) == 0 {
				o.intake = entry
			}
			d.open(o)
			a, _ = d.now().Approval(o.id)
			if !a.Pending() {
				one.Resolution = a.Resolution()
			}
		}
		one.ApprovalID, one.ToolCallID = a.ID.String(), a.ToolCallID
		one.ArgsDigest, one.SubjectDigest = a.Claim.ArgsDigest, a.Claim.SubjectDigest
		ack.Approvals = append(ack.Approvals, one)
	}
	if len(d.records) == 0 {
		return unchanged(s, env, session.ID, c.Intent, encode(ack))
	}
	entry.Ack = encode(ack)
	return d.accepted(entry.Ack)
}

// unopenable says why the subject cannot be put to anybody. Of a call that is
// found it does not matter: its approval is about what the subject was then.
func (c Open) unopenable() *wire.Error {
	if c.Unfit != nil {
		return c.Unfit
	}
	return unkeepable(c.Action.Subject)
}

// differs says why the request is not the one that the approval was opened for;
// "" where it is. The subject is not compared: what inspection publishes of the
// same request may be another thing by now, and a successor has its own.
func (c Open) differs(a *fold.Approval) (reason wire.Reason, why string) {
	switch {
	case c.Action.ToolName != a.ToolName:
		return wire.ReasonCallMismatch, fmt.Sprintf("it is of the tool %q", a.ToolName)
	case c.Action.ArgsDigest != a.Claim.ArgsDigest:
		return wire.ReasonArgsMismatch, "it has other arguments"
	}
	return "", ""
}

// prepared says that a call of the batch waits with something else.
func prepared(a *fold.Approval, reason wire.Reason, why string) *wire.Error {
	return wire.NewError(wire.CodeApprovalMismatch,
		fmt.Sprintf("Approval %s of the call %q is not consumed yet, and %s. Nothing was prepared; build each request as before, or take or cancel what waits.", a.ID, a.ToolCallID, why),
		func(d *wire.ErrorData) { d.ApprovalID, d.Reason = a.ID.String(), reason })
}

// inRequest is an error about one request of a batch, which names it.
func inRequest(i int, e *wire.Error) *wire.Error {
	named := *e
	named.Message = fmt.Sprintf("requests[%d]: %s", i, e.Message)
	return &named
}
