package wire

// Inherit says which grants of its ancestors a child session sees. The set is closed.
type Inherit string

const (
	InheritGrants Inherit = "grants" // the default
	InheritNone   Inherit = "none"
)

// Unattended says what becomes of an approval that no interactive reviewer can
// see (protocol §7, "Unattended"). The set is closed.
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
