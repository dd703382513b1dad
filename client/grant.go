package client

import (
	"context"

	"github.com/approvald/approvald/wire"
)

// Grants lists the standing permissions that decisions left behind, those that
// are in force no more included, in the order in which they were given.
func (c *Client) Grants(ctx context.Context, p wire.GrantListParams) (wire.GrantListResult, error) {
	var r wire.GrantListResult
	_, err := c.call(ctx, wire.MethodGrantList, p, &r)
	return r, err
}

// RevokeGrant ends a standing permission. It binds the next action: what was
// allowed stays allowed. A commandId is minted where p has none.
func (c *Client) RevokeGrant(ctx context.Context, p wire.GrantRevokeParams) (wire.GrantRevokeResult, error) {
	p.CommandID = orNewID(p.CommandID)
	var r wire.GrantRevokeResult
	_, err := c.call(ctx, wire.MethodGrantRevoke, p, &r)
	return r, err
}
