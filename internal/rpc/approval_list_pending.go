package rpc

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
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
	first := earliest{after: after, most: most + 1, sees: r.conn.sees} // one more says that there is another page
	if e := r.conn.srv.eachPending(session, first.add); e != nil {
		r.fail(e)
		return
	}
	var page pendingPage
	last := after
	for _, ref := range first.refs() {
		row, err := r.conn.srv.encodedParams(ref) // of the moment of the list, not of its own
		if err != nil {
			r.internal(err)
			return
		}
		if page.rows == most || page.size+len(row) > maxPage && page.rows > 0 {
			r.answer(page.encode(strconv.FormatUint(last, 10)))
			return
		}
		page.add(row, ref.prompt != nil)
		last = ref.opened
	}
	r.answer(page.encode(""))
}

// earliest picks the pending approvals and prompts that were opened first, of those
// behind a sequence that somebody sees. What it holds does not grow with what it is
// shown: sorting everything that waits for every page of it would take longer than
// making the page.
type earliest struct {
	after uint64
	most  int
	sees  func(lineage []approval.ID) bool

	found []pendingRef
	bound uint64 // those opened from here on are not among them; 0: any may be
}

func (p *earliest) add(in *fold.Session) {
	if !p.sees(in.Lineage) {
		return
	}
	for ref := range pendingIn(in) {
		if ref.opened <= p.after || p.bound > 0 && ref.opened >= p.bound {
			continue
		}
		if p.found = append(p.found, ref); len(p.found) >= 2*p.most {
			p.cut()
		}
	}
}

func (p *earliest) cut() {
	slices.SortFunc(p.found, inOpeningOrder)
	if len(p.found) > p.most {
		p.bound = p.found[p.most].opened
		p.found = p.found[:p.most]
	}
}

// refs are what was picked, in opening order.
func (p *earliest) refs() []pendingRef {
	p.cut()
	return p.found
}

// pendingPage is wire.ApprovalListPendingResult with rows that are encoded already: a
// page is measured in bytes, and none of it needs to be looked at again.
type pendingPage struct {
	approvals, userInputs []byte // with a comma behind each row
	rows, size            int
}

func (p *pendingPage) add(row []byte, prompt bool) {
	of := &p.approvals
	if prompt {
		of = &p.userInputs
	}
	*of = append(append(*of, row...), ',')
	p.rows++
	p.size += len(row)
}

// encode is the page, with the cursor of the one behind it; "" for none.
func (p *pendingPage) encode(next string) []byte {
	const members = `{"approvals":[],"userInputs":[],"nextCursor":""}`
	out := make([]byte, 0, len(members)+len(p.approvals)+len(p.userInputs)+len(next))
	out = append(out, `{"approvals":[`...)
	out = append(out, bytes.TrimSuffix(p.approvals, []byte(","))...)
	out = append(out, `],"userInputs":[`...)
	out = append(out, bytes.TrimSuffix(p.userInputs, []byte(","))...)
	out = append(out, `],"nextCursor":`...)
	if next == "" {
		return append(out, `null}`...)
	}
	return append(strconv.AppendQuote(out, next), '}')
}
