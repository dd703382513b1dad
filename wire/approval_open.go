package wire

import "encoding/json"

// ApprovalOpenParams hands an action in (protocol §7). Subject is one of the
// Open… structs or a kind of the agent's own. RawArgs is the JSON text of the
// tool call's arguments; it is stored verbatim.
type ApprovalOpenParams struct {
	CommandID        string          `json:"commandId"`
	SessionID        string          `json:"sessionId"`
	ToolCallID       string          `json:"toolCallId,omitzero"` // may be absent with ParentToolCallID
	ToolName         string          `json:"toolName"`
	RawArgs          string          `json:"rawArgs"`
	Reason           string          `json:"reason"`
	Subject          json.RawMessage `json:"subject"`
	Justification    string          `json:"justification,omitzero"` // at most 240 characters
	Operation        json.RawMessage `json:"operation,omitempty"`
	TurnID           string          `json:"turnId,omitzero"`
	TaskID           string          `json:"taskId,omitzero"`
	ItemID           string          `json:"itemId,omitzero"`
	ParentToolCallID string          `json:"parentToolCallId,omitzero"`
	Requested        bool            `json:"requested,omitzero"` // asks for a prompt under onRequest
	TimeoutMs        *int64          `json:"timeoutMs,omitzero"` // 1 to 2147483647; nil: no deadline
	Unattended       Unattended      `json:"unattended,omitzero"`
	CatalogID        string          `json:"catalogId,omitzero"` // of catalog/open; the subject is a tool that it lists
	RunID            string          `json:"runId,omitzero"`
}

// ApprovalOpenResult is the ack of an opening. State is that of the admission:
// resolved, with Resolution, where policy settled it in the same commit.
// Digests are "sha256:" and 64 lower-case hex digits.
type ApprovalOpenResult struct {
	Ack
	ApprovalID    string      `json:"approvalId"`
	ToolCallID    string      `json:"toolCallId"`
	ArgsDigest    string      `json:"argsDigest"`
	SubjectDigest string      `json:"subjectDigest"`
	State         State       `json:"state"`
	Resolution    *Resolution `json:"resolution,omitzero"`
}
