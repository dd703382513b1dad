package client

import (
	"context"

	"github.com/approvald/approvald/wire"
)

// Page reads one page of a session's durable view events.
func (c *Client) Page(ctx context.Context, p wire.ViewPageParams) (wire.ViewPageResult, error) {
	var r wire.ViewPageResult
	_, err := c.call(ctx, wire.MethodViewPage, p, &r)
	return r, err
}

// Unsubscribe ends the connection's subscription to a session: no notification
// and no approval/request of it comes any more. It does not close a
// [Subscription]; closing one does this where it is due.
func (c *Client) Unsubscribe(ctx context.Context, sessionID string) error {
	_, err := c.call(ctx, wire.MethodViewUnsubscribe, wire.ViewUnsubscribeParams{SessionID: sessionID}, nil)
	return err
}
