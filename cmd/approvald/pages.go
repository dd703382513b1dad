package main

import (
	"context"
	"iter"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// waiting is an approval or a prompt that is pending: one of them.
type waiting struct {
	approval *wire.ApprovalRequest
	prompt   *wire.UserInputRequest
}

// waitingOf walks what is pending in a session, or ("") in all, in the order in
// which it was opened. It ends after the first error.
func waitingOf(ctx context.Context, c *client.Client, session string) iter.Seq2[waiting, error] {
	return func(yield func(waiting, error) bool) {
		ask := wire.ApprovalListPendingParams{SessionID: session}
		for {
			page, err := c.ListPending(ctx, ask)
			if err != nil {
				yield(waiting{}, err)
				return
			}
			for _, w := range inOrder(page) {
				if !yield(w, nil) {
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

// inOrder puts the two lists of a page, each in opening order, together.
func inOrder(page wire.ApprovalListPendingResult) (all []waiting) {
	prompts := page.UserInputs
	for i := range page.Approvals {
		for len(prompts) > 0 && prompts[0].CreatedAt < page.Approvals[i].CreatedAt {
			all, prompts = append(all, waiting{prompt: &prompts[0]}), prompts[1:]
		}
		all = append(all, waiting{approval: &page.Approvals[i]})
	}
	for i := range prompts {
		all = append(all, waiting{prompt: &prompts[i]})
	}
	return all
}

// pendingOf walks the approvals among them.
func pendingOf(ctx context.Context, c *client.Client, session string) iter.Seq2[wire.ApprovalRequest, error] {
	return func(yield func(wire.ApprovalRequest, error) bool) {
		for w, err := range waitingOf(ctx, c, session) {
			if err != nil {
				yield(wire.ApprovalRequest{}, err)
				return
			}
			if w.approval != nil && !yield(*w.approval, nil) {
				return
			}
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
