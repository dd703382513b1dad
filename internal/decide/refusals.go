package decide

import (
	"fmt"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// SessionNotFound says that there is no such session, or none that the caller
// may know of.
func SessionNotFound(id approval.ID) *wire.Error {
	return wire.NewError(wire.CodeSessionNotFound,
		fmt.Sprintf("There is no session %s.", id),
		func(d *wire.ErrorData) { d.SessionID = id.String() })
}

func sessionClosed(session *fold.Session, i Intent) *wire.Error {
	return wire.NewError(wire.CodeCommandRejected,
		fmt.Sprintf("Session %s is closed; start another.", session.ID),
		i.rejected(wire.ReasonSessionClosed),
		func(d *wire.ErrorData) { d.SessionID = session.ID.String() })
}

func overCeiling(mode, most approval.Mode, i Intent) *wire.Error {
	why := fmt.Sprintf("The mode %s is not comparable with %s, the most that is permitted here.", mode, most)
	switch {
	case mode.Within(most): // an agent's onRequest, which the order would admit
		why = fmt.Sprintf("An agent may not choose the mode %s: it lets the agent itself say whether anyone is asked.", mode)
	case most.Within(mode):
		why = fmt.Sprintf("The mode %s is above %s, the most that is permitted here.", mode, most)
	}
	return wire.NewError(wire.CodeCommandRejected, why, i.rejected(wire.ReasonApprovalModeCeiling))
}

func presetForbidden(p approval.Preset, i Intent) *wire.Error {
	return wire.NewError(wire.CodeCommandRejected,
		fmt.Sprintf("An agent may not choose the preset %s here; agent_presets in the policy file names those that it may.", p),
		i.rejected(wire.ReasonApprovalModeCeiling))
}

// ApprovalNotFound says that the session never had such an approval.
func ApprovalNotFound(id approval.ID) *wire.Error {
	return wire.NewError(wire.CodeApprovalNotFound,
		fmt.Sprintf("No approval %s was ever opened in this session.", id),
		func(d *wire.ErrorData) { d.ApprovalID = id.String() })
}

func alreadyResolved(session approval.ID, a *fold.Approval) *wire.Error {
	return wire.NewError(wire.CodeApprovalAlreadyResolved,
		fmt.Sprintf("Approval %s is settled already: %s.", a.ID, a.Settled.Outcome),
		func(d *wire.ErrorData) { d.ApprovalID, d.Resolution = a.ID.String(), a.Notice(session) })
}

func requirementStale(a *fold.Approval, named int) *wire.Error {
	current := wire.RequirementID{ApprovalID: a.ID.String(), SourceIndex: a.Requirement}
	return wire.NewError(wire.CodeApprovalRequirementStale,
		fmt.Sprintf("Requirement %d of approval %s is not the current one; it is %d.", named, a.ID, a.Requirement),
		func(d *wire.ErrorData) { d.ApprovalID, d.CurrentRequirementID = a.ID.String(), &current })
}

// reviewerUnavailable says that a protected write may be allowed only while a
// person can be watching (policy.md "Verdict").
func reviewerUnavailable(a *fold.Approval) *wire.Error {
	return wire.NewError(wire.CodeApprovalReviewerUnavailable,
		fmt.Sprintf("Approval %s is a protected write, and no interactive reviewer is watching its session; decide it from a connection that is one.", a.ID),
		func(d *wire.ErrorData) { d.ApprovalID = a.ID.String() })
}

func choiceInvalid(a *fold.Approval, choice wire.ChoiceID) *wire.Error {
	return wire.NewError(wire.CodeApprovalChoiceInvalid,
		"That choice is not on the menu of the current requirement; select one that is.",
		func(d *wire.ErrorData) { d.ApprovalID, d.ChoiceID = a.ID.String(), choice })
}

func backpressured(most int) *wire.Error {
	return wire.NewError(wire.CodeBackpressured,
		fmt.Sprintf("The session holds %d pending approvals, as many as it may; wait until some are decided.", most),
		func(d *wire.ErrorData) { d.Capacity = int64(most) })
}

func tooManyRefusals(n int) *wire.Error {
	return wire.NewError(wire.CodeOverloaded,
		fmt.Sprintf("The last %d commands were refused; correct the client before it goes on.", n))
}
