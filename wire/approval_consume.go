package wire

// ApprovalConsumeParams takes what was decided about one call, once, to act on
// it. ArgsDigest, and SubjectDigest where given, must be those of the approval
// (protocol §7).
type ApprovalConsumeParams struct {
	CommandID     string `json:"commandId"`
	SessionID     string `json:"sessionId"`
	ApprovalID    string `json:"approvalId"`
	ToolCallID    string `json:"toolCallId"`
	ArgsDigest    string `json:"argsDigest"`
	SubjectDigest string `json:"subjectDigest,omitzero"`
}

// ApprovalConsumeResult says what the caller may do: with PolicyResult "allow"
// exactly what Permit names, and nothing otherwise.
type ApprovalConsumeResult struct {
	Ack
	PolicyResult PolicyResult `json:"policyResult"`
	Outcome      Outcome      `json:"outcome"`
	Decision     Decision     `json:"decision"`
	Consumed     bool         `json:"consumed"`
	Permit       *Permit      `json:"permit,omitzero"`
	Denial       *Denial      `json:"denial,omitzero"`
}
