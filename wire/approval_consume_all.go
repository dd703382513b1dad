package wire

// ApprovalConsumeAllParams takes what was decided about a batch of calls, once:
// exactly the approvals that approval/prepare gave, 1 to 256 of them, and in one
// commit. Nothing is taken while one is undecided (protocol §7).
type ApprovalConsumeAllParams struct {
	CommandID string                    `json:"commandId"`
	SessionID string                    `json:"sessionId"`
	RunID     string                    `json:"runId"`
	Items     List[ApprovalConsumeItem] `json:"items"`
}

// ApprovalConsumeItem is one approval of a batch. Expect is the answer that the
// caller has looked at and can carry out: another one is not taken.
type ApprovalConsumeItem struct {
	ApprovalID string       `json:"approvalId"`
	ToolCallID string       `json:"toolCallId"`
	ArgsDigest string       `json:"argsDigest"`
	Expect     PolicyResult `json:"expect,omitzero"`
}

// ApprovalConsumeAllResult has one entry an item, in their order.
type ApprovalConsumeAllResult struct {
	Ack
	Decisions List[ConsumedDecision] `json:"decisions"`
}

// ConsumedDecision says what the caller may do about one call: with PolicyResult
// "allow" exactly what Permit names, and nothing otherwise. Where Consumed is
// false the call is denied, with a denial of the kind conflict and the Decision
// "denied", whatever Outcome says became of the approval: it is left as it is.
type ConsumedDecision struct {
	ApprovalID   string       `json:"approvalId"`
	ToolCallID   string       `json:"toolCallId"`
	PolicyResult PolicyResult `json:"policyResult"`
	Outcome      Outcome      `json:"outcome"`
	Decision     Decision     `json:"decision"`
	Consumed     bool         `json:"consumed"`
	Permit       *Permit      `json:"permit,omitzero"`
	Denial       *Denial      `json:"denial,omitzero"`
}
