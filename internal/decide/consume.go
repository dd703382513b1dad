package decide

import (
	"fmt"
	"strings"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/policy"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// Consume takes what was decided about a call, once (protocol §7,
// approval/consume): the permit of an allowed approval, for exactly what was
// approved, or the denial of another.
type Consume struct {
	Intent
	Session       approval.ID
	Approval      approval.ID
	ToolCall      string
	ArgsDigest    string
	SubjectDigest string // "" where the caller does not say
	// Action is what was approved, as the opening record has it, and Changed how
	// its target differs now, "" for not at all. Both are read before: the state
	// keeps neither, and deciding looks at nothing outside.
	Action  approval.Action
	Changed string
}

func (c Consume) concerns(*fold.State) approval.ID { return c.Session }

func (c Consume) decide(s *fold.State, env Env) Result {
	session, end := c.enter(s, env, c.Session)
	if end != nil {
		return *end
	}
	a, ok := session.Approval(c.Approval)
	switch {
	case !ok:
		return Result{Refusal: ApprovalNotFound(c.Approval)}
	case a.Pending():
		return Result{Refusal: stillPending(a)}
	case !a.ConsumedBy.IsZero():
		return refused(s, env, session, c.Intent, alreadyConsumed(a))
	}
	d := newDraft(s, env, session.ID, c.Command)
	if reason, why := c.mismatch(d, session, a); reason != "" {
		return refused(s, env, session, c.Intent, mismatch(a, reason, why))
	}
	resolution := a.Resolution()
	ack := encode(wire.ApprovalConsumeResult{
		Ack:          wire.Accepted(c.Command.String()),
		PolicyResult: resolution.PolicyResult,
		Outcome:      resolution.Outcome,
		Decision:     resolution.Decision,
		Consumed:     true,
		Permit:       resolution.Permit,
		Denial:       resolution.Denial,
	})
	d.add(a.ID, &record.ApprovalConsumed{Opened: a.Opened, By: c.By, Command: c.intake(ack)})
	return d.accepted(ack)
}

// mismatch says why the approval is not, or is no longer, one for this call;
// "" where it is. A denial is consumed whatever its target has become: it
// permits nothing.
func (c Consume) mismatch(d *draft, session *fold.Session, a *fold.Approval) (reason wire.Reason, why string) {
	switch {
	case a.Settled.Successor != nil:
		return wire.ReasonSuperseded, fmt.Sprintf("a restart replaced it by %s", a.Settled.Successor)
	case session.Closed:
		return wire.ReasonSessionEnded, "its session is closed"
	case !a.Claimable():
		return wire.Reason(a.Voided), ended(wire.Reason(a.Voided))
	case c.ToolCall != a.ToolCallID:
		return wire.ReasonCallMismatch, "it was for another tool call"
	case c.ArgsDigest != a.Claim.ArgsDigest:
		return wire.ReasonArgsMismatch, "the arguments are not those that were approved"
	case c.SubjectDigest != "" && c.SubjectDigest != a.Claim.SubjectDigest:
		return wire.ReasonSubjectMismatch, "the subject is not the one that was approved"
	}
	return d.lapsed(session, a, c.Action, c.Changed)
}

// lapsed says why what was allowed is not allowed now: its target has changed, or
// policy denies it by now; "" where it is, and for a denial, which permits nothing
// that could lapse.
func (d *draft) lapsed(session *fold.Session, a *fold.Approval, action approval.Action, changed string) (reason wire.Reason, why string) {
	switch {
	case !approval.Outcome(a.Settled.Outcome).Allows():
		return "", ""
	case changed != "":
		return wire.ReasonTargetChanged, changed
	}
	verdict := d.env.Policy.Evaluate(action, d.question(session, action, waiting))
	if verdict.Effect == policy.Deny {
		return wire.ReasonDenied, "the policy denies it by now: " + verdict.Explanation
	}
	return "", ""
}

// ended says why a permit was voided.
func ended(reason wire.Reason) string {
	switch reason {
	case wire.ReasonProtectedWriteRestart:
		return "the daemon was restarted, and a permit for a protected write does not outlive it"
	case wire.ReasonPermitCatalogClosed:
		return "its tool has changed or is gone, or the catalog that listed it is closed"
	default:
	}
	return "the call or turn that it was for has ended"
}

func stillPending(a *fold.Approval) *wire.Error {
	return wire.NewError(wire.CodeApprovalPending,
		fmt.Sprintf("Approval %s is not decided yet; await it first.", a.ID),
		func(d *wire.ErrorData) { d.ApprovalID = a.ID.String() })
}

func alreadyConsumed(a *fold.Approval) *wire.Error {
	return wire.NewError(wire.CodeApprovalAlreadyConsumed,
		fmt.Sprintf("Approval %s was consumed by command %s; open another.", a.ID, a.ConsumedBy),
		func(d *wire.ErrorData) { d.ApprovalID = a.ID.String() })
}

func mismatch(a *fold.Approval, reason wire.Reason, why string) *wire.Error {
	advice := "open another"
	switch reason {
	case wire.ReasonSuperseded:
		advice = "await that one"
	case wire.ReasonSessionEnded:
		advice = "open another in another session"
	case wire.ReasonCallMismatch, wire.ReasonArgsMismatch, wire.ReasonSubjectMismatch:
		advice = "name the call as it was opened, or open another"
	default:
	}
	return mismatched(a, reason, why, advice)
}

// mismatched is the error of a permit that does not fit, with what to do about it.
func mismatched(a *fold.Approval, reason wire.Reason, why, advice string) *wire.Error {
	return wire.NewError(wire.CodeApprovalMismatch,
		fmt.Sprintf("Approval %s permits nothing here: %s. Nothing was consumed; %s.", a.ID, strings.TrimSuffix(why, "."), advice),
		func(d *wire.ErrorData) {
			d.ApprovalID, d.Reason = a.ID.String(), reason
			if a.Settled != nil && a.Settled.Successor != nil {
				d.SuccessorApprovalID = a.Settled.Successor.String()
			}
		})
}
