package rpc

import (
	"encoding/json"
	"strconv"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/wire"
)

const maxRows = 1000

// approvalListPending serves approval/listPending (protocol §6): full request
// params in opening order, of one session and those below it, or of all that the
// role may see.
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
	pending, e := r.conn.srv.pendingRefs(session)
	if e != nil {
		r.fail(e)
		return
	}
	var rows []json.RawMessage
	var next *string
	size, last := 0, after
	for _, ref := range pending {
		if ref.opened <= after || !r.conn.sees(ref.lineage) {
			continue
		}
		row, err := wire.Marshal(ref.then.Params(ref.lineage)) // of the moment of the list, not of its own
		if err != nil {
			r.internal(err)
			return
		}
		size += len(row)
		if len(rows) == most || size > maxPage && len(rows) > 0 {
			text := strconv.FormatUint(last, 10)
			next = &text
			break
		}
		rows, last = append(rows, row), ref.opened
	}
	r.reply(pendingPage{Approvals: rows, NextCursor: next})
}

// pendingPage is wire.ApprovalListPendingResult with rows that are encoded
// already, since a page is measured in bytes.
type pendingPage struct {
	Approvals  wire.List[json.RawMessage] `json:"approvals"`
	UserInputs wire.List[json.RawMessage] `json:"userInputs"`
	NextCursor *string                    `json:"nextCursor"`
}
