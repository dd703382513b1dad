package gate

import (
	"errors"
	"fmt"

	"github.com/approvald/approvald/internal/hook"
	"github.com/approvald/approvald/wire"
)

// gated has the call of the event approved: it finds or opens its approval, waits, and takes what
// was decided. Where another delivery has taken that, or it does not fit any more, the call is
// asked about again. early is the request that has gone out already.
func (a *asking) gated(l *link, early string) (hook.Answer, error) {
	for {
		answer, err := a.attemptOne(l, early)
		switch {
		case wire.IsKind(err, wire.KindApprovalAlreadyConsumed):
		case wire.IsKind(err, wire.KindApprovalMismatch):
			if err := l.call(wire.MethodApprovalCancel, a.event.Void(a.session, a.approval), nil); err != nil {
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
	var taken wire.ApprovalConsumeResult
	err = l.call(wire.MethodApprovalConsume, a.event.Consume(a.session, a.approval, prepared), &taken)
	switch {
	case refusedFor(err, wire.ReasonSessionEnded): // void, a denial as well
		return a.event.Ended(a.approval), nil
	case err != nil:
		return hook.Answer{}, err
	}
	return a.event.Decided(a.approval, *resolution, taken, prepared), nil
}

// prepare finds or opens the approval of the call.
func (a *asking) prepare(l *link, early string) (wire.PreparedApproval, error) {
	params, err := a.event.Prepare(a.session, a.attempt)
	if err != nil {
		return wire.PreparedApproval{}, err
	}
	var r struct {
		Approvals []wire.PreparedApproval `json:"approvals"`
	}
	if early != "" {
		err = l.receive(early, &r)
	}
	// What went out early may have come before the session was this connection's.
	if early == "" || wire.IsKind(err, wire.KindSessionNotFound) {
		err = l.call(wire.MethodApprovalPrepare, params, &r)
	}
	switch {
	case err != nil:
		return wire.PreparedApproval{}, err
	case len(r.Approvals) != 1 || r.Approvals[0].ToolCallID != params.Requests[0].ToolCallID:
		return wire.PreparedApproval{}, errors.New("it answered with the approval of another call")
	}
	return r.Approvals[0], nil
}

// await waits until the approval is resolved. The time of the hook ends with the connection.
func (a *asking) await(l *link) (*wire.Resolution, error) {
	var r wire.ApprovalAwaitResult
	err := l.call(wire.MethodApprovalAwait, wire.ApprovalAwaitParams{SessionID: a.session, ApprovalIDs: wire.List[string]{a.approval}}, &r)
	if lost(err) {
		return nil, &lostError{fmt.Errorf("%w: %w", errWaiting, err)}
	}
	if err != nil {
		return nil, err
	}
	if len(r.Results) != 1 || r.Results[0].ApprovalID != a.approval || r.Results[0].Resolution == nil {
		return nil, errors.New("it answered about another approval, or without a resolution")
	}
	return r.Results[0].Resolution, nil
}
