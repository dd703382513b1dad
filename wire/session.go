package wire

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
	TurnCount       int64         `json:"turnCount"` // of turn/start
	Path            string        `json:"path"`      // of the log; "" when ephemeral
	CreatedAt       Time          `json:"createdAt"`
	UpdatedAt       Time          `json:"updatedAt"`
	WorkspaceRoot   *string       `json:"workspaceRoot"`
	ProviderID      *string       `json:"providerId"`
	ModelID         *string       `json:"modelId"`
	ForkedFrom      *string       `json:"forkedFrom"`
	ActiveTurnID    *string       `json:"activeTurnId"` // of turn/start; null where no such turn is open
	ApprovalMode    ModeState     `json:"approvalMode"`
	Preset          Preset        `json:"preset,omitzero"`
	Attention       []Attention   `json:"attention,omitempty"`
	Name            string        `json:"name,omitzero"`
	Title           string        `json:"title,omitzero"`
	ParentSessionID string        `json:"parentSessionId,omitzero"`
	Kind            SessionKind   `json:"kind"`
	CreatedByClient *ClientInfo   `json:"createdByClient,omitzero"`
}

// SessionStatusChanged goes to every connection that may see the session. It
// is not part of the view and coalesces to the latest of a session.
type SessionStatusChanged struct {
	SessionID  string        `json:"sessionId"`
	Status     SessionStatus `json:"status"`
	Attention  []Attention   `json:"attention,omitempty"`
	ViewCursor *string       `json:"viewCursor"`

	SubagentOrigin *SubagentOrigin `json:"subagentOrigin,omitzero"`
}
