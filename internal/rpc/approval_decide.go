package rpc

import (
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

// approvalDecide serves approval/decide (protocol §6). Everything but the
// shape of the params is checked by decide, in the order of protocol §3.
func (r *request) approvalDecide() {
	var p wire.ApprovalDecideParams
	if e := r.decode(&p); e != nil {
		r.fail(e)
		return
	}
	c := decide.Decide{Requirement: p.RequirementID.SourceIndex, Choice: p.ChoiceID, Feedback: p.Feedback}
	var e *wire.Error
	if c.Intent, e = r.intent(p.CommandID); e != nil {
		r.fail(e)
		return
	}
	if c.Session, e = identity("sessionId", p.SessionID); e != nil {
		r.fail(e)
		return
	}
	if c.Approval, e = identity("approvalId", p.ApprovalID); e != nil {
		r.fail(e)
		return
	}
	switch {
	case p.RequirementID.ApprovalID != p.ApprovalID:
		e = invalid("requirementId.approvalId must be the approvalId")
	case p.Feedback != nil:
		e = bounded("feedback", *p.Feedback, maxFeedback)
	}
	if e = first(e, name("choiceId", string(p.ChoiceID))); e != nil {
		r.fail(e)
		return
	}
	r.submit(c, effect{})
}
