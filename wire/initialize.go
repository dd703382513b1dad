package wire

// InitializeParams opens the handshake (protocol §2).
type InitializeParams struct {
	ClientInfo   ClientInfo          `json:"clientInfo"`
	Capabilities *ClientCapabilities `json:"capabilities,omitzero"`
}

// ClientInfo names a client. Name matches ^[a-z0-9_]+$; it is a claim that
// decisions record, not a proof.
type ClientInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Title   string `json:"title,omitzero"`
}

// ClientCapabilities says what a client wants of its connection.
type ClientCapabilities struct {
	// OptOutNotificationMethods lists exact names; the protected ones of
	// protocol §5 are sent all the same.
	OptOutNotificationMethods []string `json:"optOutNotificationMethods,omitempty"`
	// RequestedCapabilities lists names; what is unknown, or not for the role, is
	// silently not granted. There is CapabilityDecidedBy.
	RequestedCapabilities []string `json:"requestedCapabilities,omitempty"`
	// UserInputDialogs false keeps userInput/request away from this client; nil
	// means true.
	UserInputDialogs *bool               `json:"userInputDialogs,omitzero"`
	Approvald        *ApprovaldRequested `json:"approvald,omitzero"`
}

// ApprovaldRequested is approvald's own part of the handshake.
type ApprovaldRequested struct {
	// Role defaults to the widest of the transport; a wider one is -32602.
	Role Role `json:"role,omitzero"`
	// Interactive false keeps the connection out of the interactive reviewers;
	// nil means true.
	Interactive *bool `json:"interactive,omitzero"`
	// AllSessions subscribes a reviewer to every session, present and future.
	AllSessions bool `json:"allSessions,omitzero"`
	// Turns says that the client carries out the turns of the sessions that it owns:
	// of such connections the newest is the session's attached agent (protocol §4).
	Turns bool `json:"turns,omitzero"`
}

// InitializeResult answers initialize. The client then sends the notification
// initialized; before that every other request is refused.
type InitializeResult struct {
	ServerInfo          ServerInfo       `json:"serverInfo"`
	UserAgent           string           `json:"userAgent"`
	MuseHome            string           `json:"museHome"` // absolute state directory
	PlatformFamily      string           `json:"platformFamily"`
	PlatformOS          string           `json:"platformOs"`
	Schema              Schema           `json:"schema"`
	GrantedCapabilities List[string]     `json:"grantedCapabilities"`
	ExperimentalAPI     bool             `json:"experimentalApi"` // always false
	SessionDurability   Durability       `json:"sessionDurability"`
	Approvald           ApprovaldGranted `json:"approvald"`
}

// ServerInfo names the server.
type ServerInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Schema identifies the schema bundle of the server build. Fingerprint is
// "sha256:" and 64 lower-case hex digits; a mismatch is a warning, no error
// (msp-facts §1.4).
type Schema struct {
	Version     int    `json:"version"`
	Fingerprint string `json:"fingerprint"`
}

// ApprovaldGranted is approvald's own part of the answer.
type ApprovaldGranted struct {
	Protocol int  `json:"protocol"` // ProtocolVersion
	Role     Role `json:"role"`     // what the connection got
}

// ProtocolVersion is the version of approvald's own half of the contract.
const ProtocolVersion = 1

// Durability says what a restart leaves of sessions. Unknown values mean: not
// durable (msp-facts §1.4).
type Durability string

const (
	DurabilityDurable   Durability = "durable"
	DurabilityEphemeral Durability = "ephemeral"
)
