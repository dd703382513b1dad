package wire

// SessionResumeParams loads a session and subscribes to it. With a cursor the
// events behind it are replayed before the answer.
type SessionResumeParams struct {
	CommandID string  `json:"commandId"`
	SessionID string  `json:"sessionId"`
	Cursor    *string `json:"cursor,omitzero"`
	// History is moot with Cursor or ExcludeItems.
	History      HistoryPreference `json:"history,omitzero"`
	ExcludeItems bool              `json:"excludeItems,omitzero"`
}

// SessionResumeResult answers session/resume. Every pending request is issued
// again behind it. PendingRequests holds at most the first 1,000, and
// PendingTruncated says whether there were more.
type SessionResumeResult struct {
	Ack
	Session          Session              `json:"session"`
	ViewCursor       string               `json:"viewCursor"`
	History          History              `json:"history"`
	PendingRequests  List[PendingRequest] `json:"pendingRequests"`
	PendingTruncated bool                 `json:"pendingTruncated,omitzero"`
}

// PendingKind tells the two kinds of pending requests apart.
type PendingKind string

const (
	PendingApproval  PendingKind = "approval"
	PendingUserInput PendingKind = "userInput"
)

// PendingRequest points at a pending approval or prompt of the session or of one
// below it, which SubagentOrigin then names; exactly one of the ids is set.
// ViewCursor is that of its latest requested event.
type PendingRequest struct {
	Kind           PendingKind     `json:"kind"`
	ApprovalID     string          `json:"approvalId,omitzero"`
	UserInputID    string          `json:"userInputId,omitzero"`
	ViewCursor     string          `json:"viewCursor"`
	SubagentOrigin *SubagentOrigin `json:"subagentOrigin,omitzero"`
}
