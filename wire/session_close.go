package wire

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
	CloseWithParent   CloseReason = "parentClosed" // a session above it was closed
)

// SessionClosed is the last thing heard of a session. After session/close it is
// a view event with cursor and range; for idle and hostShutdown nothing durable
// happened, ViewCursor is null and SourceRange absent (msp-facts §3.2).
type SessionClosed struct {
	SessionID   string       `json:"sessionId"`
	ViewCursor  *string      `json:"viewCursor"`
	SourceRange *SourceRange `json:"sourceRange,omitzero"`
	Reason      CloseReason  `json:"reason"`

	SubagentOrigin *SubagentOrigin `json:"subagentOrigin,omitzero"`
}
