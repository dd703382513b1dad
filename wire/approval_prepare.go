package wire

import "encoding/json"

// ApprovalPrepareParams hands in the calls for which a run has paused, 1 to 256
// of them. One unconsumed approval of each call is found, or opened where there
// is none: all of them, or with an error nothing. Build the requests identically
// on every pass (protocol §7).
type ApprovalPrepareParams struct {
	CommandID string                       `json:"commandId"`
	SessionID string                       `json:"sessionId"`
	RunID     string                       `json:"runId"`
	Requests  List[ApprovalPrepareRequest] `json:"requests"`
}

// ApprovalPrepareRequest is one call of a batch: what [ApprovalOpenParams] says of
// it. ToolCallID must be given, and be another one in each request of the batch:
// an approval is found by it.
type ApprovalPrepareRequest struct {
	ToolCallID       string          `json:"toolCallId"`
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
	RunID            string          `json:"runId,omitzero"`     // that of the batch, or absent
}

// ApprovalPrepareResult has one entry a request, in their order.
type ApprovalPrepareResult struct {
	Ack
	Approvals List[PreparedApproval] `json:"approvals"`
}

// PreparedApproval is the approval of one call. Created says that this command
// opened it, and Resolution what policy settled at once; what has become of one
// that was found is for approval/await to say.
type PreparedApproval struct {
	ApprovalID    string      `json:"approvalId"`
	ToolCallID    string      `json:"toolCallId"`
	ArgsDigest    string      `json:"argsDigest"`
	SubjectDigest string      `json:"subjectDigest"`
	Created       bool        `json:"created"`
	Resolution    *Resolution `json:"resolution,omitzero"`
}
