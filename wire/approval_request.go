package wire

import "encoding/json"

// ApprovalRequest holds the params of the server request approval/request and
// of the view event approval/requested, which are the same bytes (protocol §6).
// The answer to approval/request is a receipt and changes nothing.
type ApprovalRequest struct {
	SessionID            string          `json:"sessionId"`
	ApprovalID           string          `json:"approvalId"`
	TurnID               string          `json:"turnId"`
	TaskID               string          `json:"taskId"`
	ItemID               string          `json:"itemId"`
	ToolCallID           string          `json:"toolCallId"`
	ToolName             string          `json:"toolName"`
	RawArgs              string          `json:"rawArgs"` // the model's JSON text, verbatim
	ViewCursor           string          `json:"viewCursor"`
	SourceRange          SourceRange     `json:"sourceRange"`
	Subject              json.RawMessage `json:"subject"` // see DecodeSubject
	CurrentRequirementID RequirementID   `json:"currentRequirementId"`
	AvailableChoices     List[Choice]    `json:"availableChoices"`
	ProtectedWrite       bool            `json:"protectedWrite"`
	JudgeEscalated       bool            `json:"judgeEscalated"` // always false
	SubagentOrigin       *SubagentOrigin `json:"subagentOrigin,omitzero"`
	Reason               string          `json:"reason"`
	Justification        string          `json:"justification,omitzero"` // of the model; policy.explanation where it gave none
	Operation            json.RawMessage `json:"operation,omitempty"`
	PermissionMode       Preset          `json:"permissionMode,omitzero"`
	ExpiresAt            *Time           `json:"expiresAt"`
	CreatedAt            Time            `json:"createdAt"`
	Policy               PolicyAnswer    `json:"policy"`
}

// PolicyAnswer says why an approval is asked for or was settled. Rule names
// file and index of the rule where one decided.
type PolicyAnswer struct {
	Source      Source `json:"source"`
	Rule        string `json:"rule,omitzero"`
	Explanation string `json:"explanation"`
}

// ApprovalListPendingParams asks for pending approvals and prompts: of a session and its
// descendants, or of all that the role may see.
type ApprovalListPendingParams struct {
	SessionID string `json:"sessionId,omitzero"`
	Limit     *int   `json:"limit,omitzero"` // 1 to 1000, the default
	Cursor    string `json:"cursor,omitzero"`
}

// ApprovalListPendingResult lists pending approvals and prompts in opening
// order. NextCursor is null at the end.
type ApprovalListPendingResult struct {
	Approvals  List[ApprovalRequest]  `json:"approvals"`
	UserInputs List[UserInputRequest] `json:"userInputs"`
	NextCursor *string                `json:"nextCursor"`
}

// ApprovalReadParams asks for one approval.
type ApprovalReadParams struct {
	SessionID  string `json:"sessionId"`
	ApprovalID string `json:"approvalId"`
}

// ApprovalReadResult is an approval and what became of it.
type ApprovalReadResult struct {
	Request    ApprovalRequest `json:"request"`
	Resolution *Resolution     `json:"resolution,omitzero"`
	DecidedBy  *Decider        `json:"decidedBy,omitzero"` // with CapabilityDecidedBy, where a person decided
}
