package main

import (
	"context"
	"iter"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// pendingOf walks the pending approvals of a session, or ("") of all, in the
// order in which they were opened. It ends after the first error.
func pendingOf(ctx context.Context, c *client.Client, session string) iter.Seq2[wire.ApprovalRequest, error] {
	return func(yield func(wire.ApprovalRequest, error) bool) {
		ask := wire.ApprovalListPendingParams{SessionID: session}
		for {
			page, err := c.ListPending(ctx, ask)
			if err != nil {
				yield(wire.ApprovalRequest{}, err)
				return
			}
			for _, r := range page.Approvals {
				if !yield(r, nil) {
					return
				}
			}
			if page.NextCursor == nil {
				return
			}
			ask.Cursor = *page.NextCursor
		}
	}
}

// sessionsOf walks all sessions, the latest first. It ends after the first
// error.
func sessionsOf(ctx context.Context, c *client.Client) iter.Seq2[wire.Session, error] {
	return func(yield func(wire.Session, error) bool) {
		var ask wire.SessionListParams
		for {
			page, err := c.ListSessions(ctx, ask)
			if err != nil {
				yield(wire.Session{}, err)
				return
			}
			for _, s := range page.Sessions {
				if !yield(s, nil) {
					return
				}
			}
			if page.NextCursor == nil {
				return
			}
			ask.Cursor = *page.NextCursor
		}
	}
}

// eventsOf walks the durable events of a session from the first. It ends after
// the first error.
func eventsOf(ctx context.Context, c *client.Client, session string) iter.Seq2[wire.ViewEvent, error] {
	return func(yield func(wire.ViewEvent, error) bool) {
		ask := wire.ViewPageParams{SessionID: session, Limit: 1000}
		for {
			page, err := c.Page(ctx, ask)
			if err != nil {
				yield(wire.ViewEvent{}, err)
				return
			}
			for _, e := range page.Events {
				if !yield(e, nil) {
					return
				}
			}
			if page.NextCursor == nil {
				return
			}
			ask.Cursor = *page.NextCursor
		}
	}
}
