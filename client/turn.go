package client

import (
	"context"

	"github.com/approvald/approvald/wire"
)

// CompleteTurn says that a turn is over. What is pending in it settles as
// cancelled first, and permits that were not taken are void; when the call
// returns, nothing of the turn is left to be decided. A commandId is minted where
// p has none.
func (c *Client) CompleteTurn(ctx context.Context, p wire.TurnCompleteParams) (wire.TurnCompleteResult, error) {
	p.CommandID = orNewID(p.CommandID)
	var r wire.TurnCompleteResult
	_, err := c.call(ctx, wire.MethodTurnComplete, p, &r)
	return r, err
}
