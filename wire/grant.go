package wire

// GrantListParams asks for grants: of SessionID those of the session, those that
// it sees of its ancestors', and the rules of its workspace; of WorkspaceRoot its
// rules; all where neither is given, and what fits both where both are.
type GrantListParams struct {
	SessionID     string `json:"sessionId,omitzero"`
	WorkspaceRoot string `json:"workspaceRoot,omitzero"`
}

// GrantListResult lists grants in the order in which they were given.
type GrantListResult struct {
	Grants List[Grant] `json:"grants"`
}

// Grant is a standing permission that a decision left behind (protocol §6).
// Scope is [ScopeSession] or [ScopeLocalPersistent]. RulePreview is what the
// reviewer was shown. InForce is false for one that was revoked, whose session is
// closed, or whose rule is not in the policy that is loaded.
type Grant struct {
	GrantID       string      `json:"grantId"`
	Scope         Scope       `json:"scope"`
	Kind          SubjectKind `json:"kind"`
	RulePreview   string      `json:"rulePreview"`
	CreatedBy     GrantOrigin `json:"createdBy"`
	CreatedAt     Time        `json:"createdAt"`
	InForce       bool        `json:"inForce"`
	SessionID     string      `json:"sessionId"` // that it was given in, and can be revoked through
	WorkspaceRoot string      `json:"workspaceRoot,omitzero"`
}

// GrantOrigin names the approval that a grant was given on, and the decision.
type GrantOrigin struct {
	ApprovalID string `json:"approvalId"`
	CommandID  string `json:"commandId"`
}

// GrantRevokeParams ends a grant. It binds the next action. SessionID is the
// session that the grant was given in, or, of a persistent one, any of its
// workspace.
type GrantRevokeParams struct {
	CommandID string `json:"commandId"`
	SessionID string `json:"sessionId"`
	GrantID   string `json:"grantId"`
}

// GrantRevokeResult answers grant/revoke. Revoking again changes nothing.
type GrantRevokeResult struct {
	Ack
}
