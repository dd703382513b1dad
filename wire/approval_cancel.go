package wire

// ApprovalCancelParams withdraws pending approvals: exactly one of ApprovalID,
// ToolCallID, TurnID and All is given (protocol §7). Prompts are withdrawn with
// their call, their turn or all.
type ApprovalCancelParams struct {
	CommandID  string `json:"commandId"`
	SessionID  string `json:"sessionId"`
	ApprovalID string `json:"approvalId,omitzero"`
	ToolCallID string `json:"toolCallId,omitzero"`
	TurnID     string `json:"turnId,omitzero"`
	All        bool   `json:"all,omitzero"`
	Reason     string `json:"reason,omitzero"`
}

// ApprovalCancelResult lists the ids of what was pending and is now cancelled;
// what had settled before is not among them.
type ApprovalCancelResult struct {
	Ack
	Cancelled List[string] `json:"cancelled"`
}
