package rpc

import (
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

// approvalCancel serves approval/cancel (protocol §7).
func (r *request) approvalCancel() { r.command(r.cancelCommand()) }

func (r *request) cancelCommand() (c decide.Cancel, e *wire.Error) {
	var p wire.ApprovalCancelParams
	if e := r.decode(&p); e != nil {
		return c, e
	}
	c.ToolCall, c.Turn, c.All, c.Reason = p.ToolCallID, p.TurnID, p.All, p.Reason
	if c.Intent, e = r.intent(p.CommandID); e != nil {
		return c, e
	}
	if c.Session, e = r.session(p.SessionID); e != nil {
		return c, e
	}
	selectors := 0
	for _, given := range []bool{p.ApprovalID != "", p.ToolCallID != "", p.TurnID != "", p.All} {
		if given {
			selectors++
		}
	}
	if selectors != 1 {
		return c, invalid("give exactly one of approvalId, toolCallId, turnId and all:true")
	}
	if p.ApprovalID != "" {
		if c.Approval, e = identity("approvalId", p.ApprovalID); e != nil {
			return c, e
		}
	}
	return c, first(optionalName("toolCallId", p.ToolCallID), optionalName("turnId", p.TurnID),
		bounded("reason", p.Reason, maxReason))
}
