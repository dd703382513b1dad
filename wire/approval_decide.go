package wire

// ApprovalDecideParams selects a choice from the menu of the current
// requirement (protocol §6). Feedback is for choices that accept it.
type ApprovalDecideParams struct {
	CommandID     string        `json:"commandId"`
	SessionID     string        `json:"sessionId"`
	ApprovalID    string        `json:"approvalId"`
	RequirementID RequirementID `json:"requirementId"`
	ChoiceID      ChoiceID      `json:"choiceId"`
	Feedback      *string       `json:"feedback,omitzero"`
}

// ApprovalDecideResult is the ack of a decision. Terminal says whether it ended
// the approval; the outcome follows as approval/resolved.
type ApprovalDecideResult struct {
	Ack
	ApprovalID string `json:"approvalId"`
	Terminal   bool   `json:"terminal"`
}
