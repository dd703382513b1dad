package rpc

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// approvalAwait serves approval/await (protocol §7): it is answered when all
// (any: one) are resolved, or at waitMs with what is known.
func (r *request) approvalAwait() {
	var params wire.ApprovalAwaitParams
	if e := r.decode(&params); e != nil {
		r.fail(e)
		return
	}
	p, e := r.awaited("approvalIds", "approvals", params.ApprovalIDs, params.WaitMs)
	if e == nil {
		e = r.inSession(params.SessionID, func(_ *fold.State, session *fold.Session) *wire.Error {
			p.session = session.ID
			for _, id := range p.ids {
				if _, ok := session.Approval(id); !ok {
					return decide.ApprovalNotFound(id)
				}
			}
			return nil
		})
	}
	if e != nil {
		r.fail(e)
		return
	}
	p.one, p.known = params.Any, func(session *fold.Session) any { return knownApprovals(session, p.ids) }
	r.await(p)
}

// knownApprovals is what is known of approvals, in the order asked.
func knownApprovals(session *fold.Session, ids []approval.ID) (result wire.ApprovalAwaitResult) {
	for _, id := range ids {
		one := wire.AwaitResult{ApprovalID: id.String(), State: wire.StatePending}
		if a, ok := session.Approval(id); ok && !a.Pending() {
			one.State, one.Resolution = wire.StateResolved, a.Resolution()
		}
		result.Results = append(result.Results, one)
	}
	return result
}
