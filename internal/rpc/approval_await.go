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
	var p wire.ApprovalAwaitParams
	if e := r.decode(&p); e != nil {
		r.fail(e)
		return
	}
	r.await(awaited{
		session: p.SessionID, member: "approvalIds", noun: "approvals", ids: p.ApprovalIDs, waitMs: p.WaitMs, one: p.Any,
		missing: func(session *fold.Session, id approval.ID) *wire.Error {
			if _, ok := session.Approval(id); !ok {
				return decide.ApprovalNotFound(id)
			}
			return nil
		},
		known: knownApprovals,
	})
}

// knownApprovals is what is known of approvals, in the order asked.
func knownApprovals(session *fold.Session, ids []approval.ID) any {
	var result wire.ApprovalAwaitResult
	for _, id := range ids {
		one := wire.AwaitResult{ApprovalID: id.String(), State: wire.StatePending}
		if a, ok := session.Approval(id); ok && !a.Pending() {
			one.State, one.Resolution = wire.StateResolved, a.Resolution()
		}
		result.Results = append(result.Results, one)
	}
	return result
}
