package rpc

import (
	"strconv"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

const maxRows = 1000

// approvalListPending serves approval/listPending (protocol §6): full request
// params in opening order, of one session or of all that the role may see.
func (r *request) approvalListPending() {
	var p wire.ApprovalListPendingParams
	if e := r.decode(&p); e != nil {
		r.fail(e)
		return
	}
	most, e := limit("limit", p.Limit, maxRows, maxRows)
	if e != nil {
		r.fail(e)
		return
	}
	var session approval.ID
	if p.SessionID != "" {
		if session, e = r.existing(p.SessionID); e != nil {
			r.fail(e)
			return
		}
	}
	var after uint64 // opening records up to here were on earlier pages
	if p.Cursor != "" {
		var err error
		if after, err = strconv.ParseUint(p.Cursor, 10, 64); err != nil {
			r.fail(invalid("cursor is not one that approval/listPending gave"))
			return
		}
	}
	r.listPending(session, after, most)
}

func (r *request) listPending(session approval.ID, after uint64, most int) {
	var result wire.ApprovalListPendingResult
	size, last := 0, after
	for _, ref := range r.conn.srv.pendingRefs(session) {
		if !r.conn.sees(ref.session) {
			continue
		}
		params, opened := r.conn.srv.pendingRow(ref)
		if params == nil || opened <= after {
			continue
		}
		size += len(params.Subject) + len(params.RawArgs) + len(params.Operation)
		if len(result.Approvals) == most || size > maxPage && len(result.Approvals) > 0 {
			next := strconv.FormatUint(last, 10)
			result.NextCursor = &next
			break
		}
		result.Approvals = append(result.Approvals, *params)
		last = opened
	}
	r.reply(result)
}

// pendingRow is an approval's request as it stands, and the sequence it was
// opened at; none for one that has been settled meanwhile.
func (s *Server) pendingRow(ref pendingRef) (params *wire.ApprovalRequest, opened uint64) {
	s.seq.View(func(state *fold.State) {
		session, ok := state.Session(ref.session)
		if !ok {
			return
		}
		if a, ok := session.Approval(ref.approval); ok && a.Pending() {
			params, opened = a.Params(ref.session), a.Opened
		}
	})
	return params, opened
}
