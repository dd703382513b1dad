package rpc

import (
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

// approvalCancel serves approval/cancel (protocol §7).
func (r *request) approvalCancel() {
	var p wire.ApprovalCancelParams
	if e := r.decode(&p); e != nil {
		r.fail(e)
		return
	}
	c := decide.Cancel{ToolCall: p.ToolCallID, Turn: p.TurnID, All: p.All, Reason: p.Reason}
	var e *wire.Error
	if c.Intent, e = r.intent(p.CommandID); e != nil {
		r.fail(e)
		return
	}
	if c.Session, e = r.session(p.SessionID); e != nil {
		r.fail(e)
		return
	}
	selectors := 0
	for _, given := range []bool{p.ApprovalID != "", p.ToolCallID != "", p.TurnID != "", p.All} {
		if given {
			selectors++
		}
	}
	if selectors != 1 {
		r.fail(invalid("give exactly one of approvalId, toolCallId, turnId and all:true"))
		return
	}
	if p.ApprovalID != "" {
		if c.Approval, e = identity("approvalId", p.ApprovalID); e != nil {
			r.fail(e)
			return
		}
	}
	if e := first(optionalName("toolCallId", p.ToolCallID), optionalName("turnId", p.TurnID), bounded("reason", p.Reason, maxReason)); e != nil {
		r.fail(e)
		return
	}
	r.submit(c, effect{})
}
