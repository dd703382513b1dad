package rpc

import (
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

// approvalDecide serves approval/decide (protocol §6). Everything but the
// shape of the params is checked by decide, in the order of protocol §3.
func (r *request) approvalDecide() { r.command(r.decideCommand()) }

// consent is what a decider says. It tells a sourceIndex of 0 from one that is
// not there: consent names what it is given to.
type consent struct {
	wire.ApprovalDecideParams
	RequirementID struct {
		ApprovalID  string `json:"approvalId"`
		SourceIndex *int   `json:"sourceIndex"`
	} `json:"requirementId"`
}

func (r *request) decideCommand() (c decide.Decide, e *wire.Error) {
	var p consent
	if e := r.decode(&p); e != nil {
		return c, e
	}
	c.Choice, c.Feedback = p.ChoiceID, p.Feedback
	if c.Intent, e = r.intent(p.CommandID); e != nil {
		return c, e
	}
	if c.Session, e = identity("sessionId", p.SessionID); e != nil {
		return c, e
	}
	if c.Approval, e = identity("approvalId", p.ApprovalID); e != nil {
		return c, e
	}
	switch {
	case p.RequirementID.ApprovalID != p.ApprovalID:
		return c, invalid("requirementId.approvalId must be the approvalId")
	case p.RequirementID.SourceIndex == nil:
		return c, invalid("requirementId.sourceIndex must be given")
	}
	c.Requirement = *p.RequirementID.SourceIndex
	if p.Feedback != nil {
		e = bounded("feedback", *p.Feedback, maxFeedback)
	}
	return c, first(e, name("choiceId", string(p.ChoiceID)))
}
