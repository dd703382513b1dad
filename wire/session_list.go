package wire

// SessionReadParams asks for one session, without loading it or subscribing.
type SessionReadParams struct {
	SessionID string `json:"sessionId"`
	// ExcludeItems false asks for the history, inline; nil means true.
	ExcludeItems *bool `json:"excludeItems,omitzero"`
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
