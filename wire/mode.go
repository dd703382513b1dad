package wire

// Mode is a session's enforcement mode. A client selects one, it never authors
// a policy (seed 003, "Modes"). The authority order is partial and belongs to
// the policy: denyUnmatched < promptUnmatched < allowAll, onRequest < allowAll.
// The set is closed.
type Mode string

const (
	ModeAllowAll        Mode = "allowAll"        // allow what no rule denies
	ModePromptUnmatched Mode = "promptUnmatched" // ask about what no rule matches
	ModeOnRequest       Mode = "onRequest"       // ask only where the agent asks for it
	ModeDenyUnmatched   Mode = "denyUnmatched"   // deny what no rule matches
)

// ModeSource says how a session came by its mode (msp-facts §3.5).
type ModeSource string

const (
	ModeSourceStartup     ModeSource = "startup"
	ModeSourceReplay      ModeSource = "replay"
	ModeSourceReconfigure ModeSource = "approvalReconfigure"
)

// ModeState is the mode in force. LastCommandID is null until a command has
// changed it.
type ModeState struct {
	Mode          Mode       `json:"mode"`
	Source        ModeSource `json:"source"`
	LastCommandID *string    `json:"lastCommandId"`
}

// SessionSetApprovalModeParams selects a mode; it binds the next action and
// decides nothing that is pending (protocol §4).
type SessionSetApprovalModeParams struct {
	CommandID string `json:"commandId"`
	SessionID string `json:"sessionId"`
	Mode      Mode   `json:"mode"`
}

// ApplyOutcome says whether session/setApprovalMode changed anything.
type ApplyOutcome string

const (
	ApplyCompleted ApplyOutcome = "completed" // session/approvalModeChanged follows
	ApplyNoop      ApplyOutcome = "noop"      // the mode was in force already
)

// SessionSetApprovalModeResult answers session/setApprovalMode.
type SessionSetApprovalModeResult struct {
	Ack
	ApplyOutcome  ApplyOutcome `json:"applyOutcome"`
	EffectiveMode ModeState    `json:"effectiveMode"`
}

// SessionApprovalModeChanged is the view event of a completed change.
type SessionApprovalModeChanged struct {
	SessionID   string      `json:"sessionId"`
	ViewCursor  string      `json:"viewCursor"`
	SourceRange SourceRange `json:"sourceRange"`
	Mode        Mode        `json:"mode"`
	Source      ModeSource  `json:"source"`
	CommandID   string      `json:"commandId"`
	ClientName  string      `json:"clientName"` // clientInfo.name of the requester

	SubagentOrigin *SubagentOrigin `json:"subagentOrigin,omitzero"`
}

// Preset names a bundle of policy (policy, "Presets").
type Preset string

const (
	PresetReadOnly         Preset = "read-only"
	PresetWorkspaceWrite   Preset = "workspace-write"
	PresetDangerFullAccess Preset = "danger-full-access"
)
