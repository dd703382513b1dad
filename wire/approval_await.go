package wire

// ApprovalAwaitParams waits until all (Any: one) of 1 to 1000 approvals are
// resolved, or WaitMs have passed (0: answer at once; nil: no end). Running out
// changes nothing.
type ApprovalAwaitParams struct {
	SessionID   string       `json:"sessionId"`
	ApprovalIDs List[string] `json:"approvalIds"`
	Any         bool         `json:"any,omitzero"`
	WaitMs      *int64       `json:"waitMs,omitzero"`
}

// ApprovalAwaitResult holds one result an id, in the order asked.
type ApprovalAwaitResult struct {
	Results List[AwaitResult] `json:"results"`
}

// AwaitResult is what is known of one approval; Resolution is set when State is
// resolved.
type AwaitResult struct {
	ApprovalID string      `json:"approvalId"`
	State      State       `json:"state"`
	Resolution *Resolution `json:"resolution,omitzero"`
}
