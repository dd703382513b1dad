package client

import (
	"context"

	"github.com/approvald/approvald/wire"
)

// Open hands an action in for approval. The result is that of the admission: its
// State is resolved where policy settled the approval at once, otherwise
// [Client.Await] it. A commandId is minted where p has none.
func (c *Client) Open(ctx context.Context, p wire.ApprovalOpenParams) (wire.ApprovalOpenResult, error) {
	p.CommandID = orNewID(p.CommandID)
	var r wire.ApprovalOpenResult
	_, err := c.call(ctx, wire.MethodApprovalOpen, p, &r)
	return r, err
}

// Cancel withdraws pending approvals and lists the ones it caught. A commandId
// is minted where p has none.
func (c *Client) Cancel(ctx context.Context, p wire.ApprovalCancelParams) (wire.ApprovalCancelResult, error) {
	p.CommandID = orNewID(p.CommandID)
	var r wire.ApprovalCancelResult
	_, err := c.call(ctx, wire.MethodApprovalCancel, p, &r)
	return r, err
}

// Consume takes what was decided about one call, once: with PolicyResult "allow"
// the caller may do exactly what the permit names, and nothing otherwise. An
// error of the kind approvalMismatch says which part differs, and consumed
// nothing. A commandId is minted where p has none.
func (c *Client) Consume(ctx context.Context, p wire.ApprovalConsumeParams) (wire.ApprovalConsumeResult, error) {
	p.CommandID = orNewID(p.CommandID)
	var r wire.ApprovalConsumeResult
	_, err := c.call(ctx, wire.MethodApprovalConsume, p, &r)
	return r, err
}

// Decide selects a choice from the menu of the current requirement. The first
// durable decision wins; the loser's error has the kind approvalAlreadyResolved
// and tells who won. A commandId is minted where p has none.
func (c *Client) Decide(ctx context.Context, p wire.ApprovalDecideParams) (wire.ApprovalDecideResult, error) {
	p.CommandID = orNewID(p.CommandID)
	var r wire.ApprovalDecideResult
	_, err := c.call(ctx, wire.MethodApprovalDecide, p, &r)
	return r, err
}

// ListPending reads one page of the pending approvals that the role may see.
func (c *Client) ListPending(ctx context.Context, p wire.ApprovalListPendingParams) (wire.ApprovalListPendingResult, error) {
	var r wire.ApprovalListPendingResult
	_, err := c.call(ctx, wire.MethodApprovalListPending, p, &r)
	return r, err
}

// ReadApproval reads an approval and what became of it.
func (c *Client) ReadApproval(ctx context.Context, p wire.ApprovalReadParams) (wire.ApprovalReadResult, error) {
	var r wire.ApprovalReadResult
	_, err := c.call(ctx, wire.MethodApprovalRead, p, &r)
	return r, err
}
