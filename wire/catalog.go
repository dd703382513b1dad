package wire

// CatalogOpenParams says which tools a server offers to the session's agent
// (protocol §7). A second open for the same server in a session updates the
// catalog that is open and gives its id; with another transport, every tool of it
// counts as changed.
type CatalogOpenParams struct {
	CommandID  string            `json:"commandId"`
	SessionID  string            `json:"sessionId"`
	ServerName string            `json:"serverName"`
	Transport  string            `json:"transport,omitzero"`
	Tools      List[CatalogTool] `json:"tools"` // each name once
}

// CatalogTool is one tool of a catalog. Digest stands for everything by which
// the tool presents itself, its description and schema included: approvald
// compares it, as a text, with the digest that the same catalog had before, and
// shows it as toolDigest.
type CatalogTool struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
}

// CatalogOpenResult gives the id that approval/open takes as CatalogID. The
// catalog is open until catalog/close, until its session is closed, or until the
// daemon ends.
type CatalogOpenResult struct {
	Ack
	CatalogID string `json:"catalogId"`
}

// CatalogUpdateParams replaces what a catalog lists. What waits for a tool whose
// digest is another one, or that is gone, settles as cancelled; permits for it
// are voided, and grants that were bound to it end. Tools is the whole new list.
type CatalogUpdateParams struct {
	CommandID string            `json:"commandId"`
	SessionID string            `json:"sessionId"`
	CatalogID string            `json:"catalogId"`
	Tools     List[CatalogTool] `json:"tools"`
}

// CatalogUpdateResult answers catalog/update.
type CatalogUpdateResult struct {
	Ack
}

// CatalogCloseParams ends a catalog, as if all of its tools were gone. SessionID
// is the session that it was opened in.
type CatalogCloseParams struct {
	CommandID string `json:"commandId"`
	SessionID string `json:"sessionId"`
	CatalogID string `json:"catalogId"`
}

// CatalogCloseResult answers catalog/close. Closing again changes nothing.
type CatalogCloseResult struct {
	Ack
}
