package rpc

import (
	"encoding/json"
	"strconv"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/wire"
)

const maxRows = 1000

// approvalListPending serves approval/listPending (protocol §6): full request
// params of approvals and prompts in opening order, of one session and those below it, or of all that the
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
	var page pendingPage
	size, rows, last := 0, 0, after
	for _, ref := range pending {
		if ref.opened <= after || !r.conn.sees(ref.lineage) {
			continue
		}
		row, err := wire.Marshal(ref.params()) // of the moment of the list, not of its own
		if err != nil {
			r.internal(err)
			return
		}
		size += len(row)
		if rows == most || size > maxPage && rows > 0 {
			text := strconv.FormatUint(last, 10)
			page.NextCursor = &text
			break
		}
		if ref.prompt != nil {
			page.UserInputs = append(page.UserInputs, row)
		} else {
			page.Approvals = append(page.Approvals, row)
		}
		rows, last = rows+1, ref.opened
	}
	r.reply(page)
}

// pendingPage is wire.ApprovalListPendingResult with rows that are encoded
// already, since a page is measured in bytes.
type pendingPage struct {
	Approvals  wire.List[json.RawMessage] `json:"approvals"`
	UserInputs wire.List[json.RawMessage] `json:"userInputs"`
	NextCursor *string                    `json:"nextCursor"`
}
