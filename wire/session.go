package wire

import "encoding/json"

// SessionStatus is the state of a session. It is running exactly while
// ActiveTurnID is set.
type SessionStatus string

const (
	SessionNotLoaded SessionStatus = "notLoaded"
	SessionIdle      SessionStatus = "idle"
	SessionRunning   SessionStatus = "running"
)

// SessionKind tells roots from children.
type SessionKind string

const (
	SessionRoot     SessionKind = "root"
	SessionSubagent SessionKind = "subagent"
)

// Attention says what a loaded session waits for.
type Attention string

const (
	AttentionApproval Attention = "approvalPending"
	AttentionInput    Attention = "inputPending"
)

// Session is the session object of protocol §4.
type Session struct {
	SessionID       string        `json:"sessionId"` // lower-case UUID
	Status          SessionStatus `json:"status"`
	TurnCount       int64         `json:"turnCount"`
	Path            string        `json:"path"` // of the log; "" when ephemeral
	CreatedAt       Time          `json:"createdAt"`
	UpdatedAt       Time          `json:"updatedAt"`
	WorkspaceRoot   *string       `json:"workspaceRoot"`
	ProviderID      *string       `json:"providerId"`
	ModelID         *string       `json:"modelId"`
	ForkedFrom      *string       `json:"forkedFrom"`
	ActiveTurnID    *string       `json:"activeTurnId"`
	ApprovalMode    ModeState     `json:"approvalMode"`
	Preset          Preset        `json:"preset,omitzero"`
	Attention       []Attention   `json:"attention,omitempty"`
	Name            string        `json:"name,omitzero"`
	Title           string        `json:"title,omitzero"`
	ParentSessionID string        `json:"parentSessionId,omitzero"`
	Kind            SessionKind   `json:"kind"`
	CreatedByClient *ClientInfo   `json:"createdByClient,omitzero"`
}

// Inherit says which grants of its ancestors a child session sees.
type Inherit string

const (
	InheritGrants Inherit = "grants" // the default
	InheritNone   Inherit = "none"
)

// Unattended says what becomes of an approval that no interactive reviewer can
// see (protocol §7, "Unattended").
type Unattended string

const (
	UnattendedPark   Unattended = "park"   // it waits; the default
	UnattendedRefuse Unattended = "refuse" // it settles as unavailable
)

// SessionStartParams starts a session. ApprovalMode and Preset exclude each
// other.
type SessionStartParams struct {
	CommandID          string     `json:"commandId"`
	SessionID          string     `json:"sessionId,omitzero"`
	WorkspaceRoot      string     `json:"workspaceRoot,omitzero"` // existing directory
	ApprovalMode       *Mode      `json:"approvalMode,omitzero"`
	Preset             Preset     `json:"preset,omitzero"`
	ParentSessionID    string     `json:"parentSessionId,omitzero"`
	Inherit            Inherit    `json:"inherit,omitzero"`
	Unattended         Unattended `json:"unattended,omitzero"`
	CancelOnDisconnect bool       `json:"cancelOnDisconnect,omitzero"`
	ProviderID         string     `json:"providerId,omitzero"`
	ModelID            string     `json:"modelId,omitzero"`
	Name               string     `json:"name,omitzero"`
}

// SessionStartResult answers session/start; the caller is subscribed from
// ViewCursor on.
type SessionStartResult struct {
	Ack
	Session    Session `json:"session"`
	ViewCursor string  `json:"viewCursor"`
}

// SessionStarted is the notification that precedes the answer to session/start.
// It is not part of the view.
type SessionStarted struct {
	Session Session `json:"session"`
}

// SessionStatusChanged goes to every connection that may see the session. It
// is not part of the view and coalesces to the latest of a session.
type SessionStatusChanged struct {
	SessionID  string        `json:"sessionId"`
	Status     SessionStatus `json:"status"`
	Attention  []Attention   `json:"attention,omitempty"`
	ViewCursor *string       `json:"viewCursor"`
}

// SessionReadParams asks for one session, without loading it or subscribing.
type SessionReadParams struct {
	SessionID string `json:"sessionId"`
}

// SessionReadResult answers session/read (msp-facts §3.2).
type SessionReadResult struct {
	Session          Session              `json:"session"`
	ViewCursor       string               `json:"viewCursor"`
	History          History              `json:"history"`
	PendingRequests  List[PendingRequest] `json:"pendingRequests"`
	PendingTruncated bool                 `json:"pendingTruncated,omitzero"`
}

// SessionListParams asks for a page of sessions, newest first.
type SessionListParams struct {
	Cursor        string `json:"cursor,omitzero"`
	Limit         *int   `json:"limit,omitzero"` // 1 to 200, default 50
	WorkspaceRoot string `json:"workspaceRoot,omitzero"`
	UpdatedAfter  Time   `json:"updatedAfter,omitzero"`
}

// SessionListResult answers session/list. NextCursor is null at the end.
type SessionListResult struct {
	Sessions   List[Session] `json:"sessions"`
	NextCursor *string       `json:"nextCursor"`
}

// SessionCloseParams ends a session for good.
type SessionCloseParams struct {
	CommandID string `json:"commandId"`
	SessionID string `json:"sessionId"`
	Reason    string `json:"reason,omitzero"`
}

// SessionCloseResult answers session/close.
type SessionCloseResult struct {
	Ack
}

// CloseReason says why a session closed. session/close carries the reason that
// its caller gave, so the set is open.
type CloseReason string

const (
	CloseIdle         CloseReason = "idle"         // unloaded; a command loads it again
	CloseHostShutdown CloseReason = "hostShutdown" // the daemon drained
	CloseRequested    CloseReason = "closed"       // session/close without a reason
)

// SessionClosed is the last thing heard of a session. After session/close it is
// a view event with cursor and range; for idle and hostShutdown nothing durable
// happened, ViewCursor is null and SourceRange absent (msp-facts §3.2).
type SessionClosed struct {
	SessionID   string       `json:"sessionId"`
	ViewCursor  *string      `json:"viewCursor"`
	SourceRange *SourceRange `json:"sourceRange,omitzero"`
	Reason      CloseReason  `json:"reason"`
}

// SessionResumeParams loads a session and subscribes to it. With a cursor the
// events behind it are replayed before the answer.
type SessionResumeParams struct {
	CommandID    string  `json:"commandId"`
	SessionID    string  `json:"sessionId"`
	Cursor       *string `json:"cursor,omitzero"`
	History      string  `json:"history,omitzero"`
	ExcludeItems bool    `json:"excludeItems,omitzero"`
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

// HistoryMode says which form of history was served.
type HistoryMode string

// HistoryNone is the form that carries no items.
const HistoryNone HistoryMode = "none"

// NoneReason says why no history was served (msp-facts §3.2).
type NoneReason string

const (
	NoneExcluded              NoneReason = "excluded"
	NoneCursorSuffix          NoneReason = "cursorSuffix"
	NoneProjectionUnavailable NoneReason = "projectionUnavailable"
)

// History is what a session's past looks like. NoneReason is present exactly
// when Mode is none.
type History struct {
	Mode       HistoryMode     `json:"mode"`
	Items      json.RawMessage `json:"items"`
	Snapshot   json.RawMessage `json:"snapshot"`
	NoneReason NoneReason      `json:"noneReason,omitzero"`
}

// PendingKind tells the two kinds of pending requests apart.
type PendingKind string

const (
	PendingApproval  PendingKind = "approval"
	PendingUserInput PendingKind = "userInput"
)

// PendingRequest points at a pending approval or prompt; exactly one of the ids
// is set. ViewCursor is that of its latest requested event.
type PendingRequest struct {
	Kind        PendingKind `json:"kind"`
	ApprovalID  string      `json:"approvalId,omitzero"`
	UserInputID string      `json:"userInputId,omitzero"`
	ViewCursor  string      `json:"viewCursor"`
}
