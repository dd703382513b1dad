package gate

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/approvald/approvald/internal/hook"
	"github.com/approvald/approvald/internal/hook/members"
	"github.com/approvald/approvald/wire"
)

// gated has the call of the event approved: it finds or opens its approval, waits, and takes what
// was decided. Where another delivery has taken that, or it does not fit any more, the call is
// asked about again, though not for ever: what changes each time is not to fill the log. early is
// the request that has gone out already.
func (a *asking) gated(l *link, early string) (hook.Answer, error) {
	for {
		answer, err := a.attemptOne(l, early)
		switch {
		case wire.IsKind(err, wire.KindApprovalAlreadyConsumed):
		case wire.IsKind(err, wire.KindApprovalMismatch) && a.approval != "" && a.lapsed < maxLapsed:
			a.lapsed++
			if _, err := l.call(wire.MethodApprovalCancel, a.event.Void(a.session, a.approval)); err != nil {
				return hook.Answer{}, err
			}
		default:
			return answer, err
		}
		early = ""
		a.attempt++
		a.approval = ""
	}
}

// maxLapsed is how often what was decided may not fit any more when it is to be taken.
const maxLapsed = 3

func (a *asking) attemptOne(l *link, early string) (hook.Answer, error) {
	prepared, err := a.prepare(l, early)
	if err != nil {
		return hook.Answer{}, err
	}
	a.approval = prepared.ApprovalID
	resolution := prepared.Resolution
	for resolution == nil || resolution.Outcome == wire.OutcomeSuperseded {
		if resolution != nil {
			if a.approval = resolution.SuccessorApprovalID; a.approval == "" {
				return hook.Answer{}, errors.New("it replaced an approval by none")
			}
		}
		if resolution, err = a.await(l); err != nil {
			return hook.Answer{}, err
		}
	}
	r, err := l.call(wire.MethodApprovalConsume, a.event.Consume(a.session, a.approval))
	if refusedFor(err, wire.ReasonSessionEnded) { // void, a denial as well
		return a.event.Ended(a.approval), nil
	}
	if err != nil {
		return hook.Answer{}, err
	}
	taken := consumed(r)
	return a.event.Decided(a.approval, *resolution, taken), unread(r.Err)
}

// prepare finds or opens the approval of the call.
func (a *asking) prepare(l *link, early string) (wire.PreparedApproval, error) {
	params, err := a.event.Prepare(a.session, a.attempt)
	if err != nil {
		return wire.PreparedApproval{}, err
	}
	r := (*members.Reader)(nil)
	if early != "" {
		r, err = l.receive(early)
	}
	// What went out early may have come before the session was this connection's.
	if early == "" || wire.IsKind(err, wire.KindSessionNotFound) {
		r, err = l.call(wire.MethodApprovalPrepare, params)
	}
	if err != nil {
		return wire.PreparedApproval{}, err
	}
	approvals := r.List("approvals")
	if r.Err != nil || len(approvals) != 1 {
		return wire.PreparedApproval{}, cmp.Or(unread(r.Err), errors.New("it answered with no approval, or with several"))
	}
	one := approvals[0]
	prepared := wire.PreparedApproval{
		ApprovalID: one.Text("approvalId"), ToolCallID: one.Text("toolCallId"), ArgsDigest: one.Text("argsDigest"), Resolution: resolutionIn(one),
	}
	if prepared.ToolCallID != params.Requests[0].ToolCallID || prepared.ArgsDigest != a.event.Call.ArgsDigest {
		return wire.PreparedApproval{}, errors.New("it answered with the approval of another call")
	}
	return prepared, unread(one.Err)
}

// await waits until the approval is resolved. The time of the hook ends with the connection.
func (a *asking) await(l *link) (*wire.Resolution, error) {
	r, err := l.call(wire.MethodApprovalAwait, wire.ApprovalAwaitParams{SessionID: a.session, ApprovalIDs: wire.List[string]{a.approval}})
	if lost(err) {
		return nil, &lostError{fmt.Errorf("%w: %w", errWaiting, err)}
	}
	if err != nil {
		return nil, err
	}
	results := r.List("results")
	if r.Err != nil || len(results) != 1 {
		return nil, cmp.Or(unread(r.Err), errors.New("it answered about no approval, or about several"))
	}
	one := results[0]
	resolution := resolutionIn(one)
	if one.Err == nil && (one.Text("approvalId") != a.approval || resolution == nil) {
		return nil, errors.New("it answered about another approval, or without a resolution")
	}
	return resolution, unread(one.Err)
}
