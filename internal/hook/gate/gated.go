package gate

import (
	"errors"
	"fmt"

	"github.com/approvald/approvald/internal/hook"
	"github.com/approvald/approvald/wire"
)

// gated has the call of the event approved: it finds or opens its approval, waits, and takes what
// was decided. Where another delivery has taken that, or it does not fit any more, the call is
// asked about again.
func (a *asking) gated(l *link) (hook.Answer, error) {
	for {
		answer, err := a.attemptOne(l)
		switch {
		case wire.IsKind(err, wire.KindApprovalAlreadyConsumed):
		case wire.IsKind(err, wire.KindApprovalMismatch):
			if err := l.call(wire.MethodApprovalCancel, a.event.Void(a.session, a.approval), nil); err != nil {
				return hook.Answer{}, err
			}
		default:
			return answer, err
		}
		a.attempt++
		a.approval = ""
	}
}

func (a *asking) attemptOne(l *link) (hook.Answer, error) {
	params, err := a.event.Prepare(a.session, a.attempt)
	if err != nil {
		return hook.Answer{}, err
	}
	var r wire.ApprovalPrepareResult
	if err := l.call(wire.MethodApprovalPrepare, params, &r); err != nil {
		return hook.Answer{}, err
	}
	if len(r.Approvals) != 1 || r.Approvals[0].ToolCallID != params.Requests[0].ToolCallID {
		return hook.Answer{}, errors.New("it answered with the approval of another call")
	}
	prepared := r.Approvals[0]
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
