package client

import (
	"context"
	"fmt"
	"slices"

	"github.com/approvald/approvald/wire"
)

// OpenInput puts questions to a person; [Client.AwaitInput] waits for the answers. A
// commandId is minted where p has none.
func (c *Client) OpenInput(ctx context.Context, p wire.UserInputOpenParams) (wire.UserInputOpenResult, error) {
	p.CommandID = orNewID(p.CommandID)
	var r wire.UserInputOpenResult
	_, err := c.call(ctx, wire.MethodUserInputOpen, p, &r)
	return r, err
}

// AwaitInput waits until all of the prompts are settled. A prompt keeps its id
// across restarts. With Reconnect it outlives connections and daemons and ends only
// with ctx; p.WaitMs is counted as by [Client.Await].
func (c *Client) AwaitInput(ctx context.Context, p wire.UserInputAwaitParams) (wire.UserInputAwaitResult, error) {
	left := p.WaitMs
	for {
		wait := awaitSlice
		if left != nil {
			wait = min(wait, *left)
		}
		ask := wire.UserInputAwaitParams{SessionID: p.SessionID, UserInputIDs: p.UserInputIDs, WaitMs: &wait}
		var r wire.UserInputAwaitResult
		if _, err := c.call(ctx, wire.MethodUserInputAwait, ask, &r); err != nil {
			return r, err
		}
		if len(r.Results) != len(p.UserInputIDs) {
			return r, fmt.Errorf("%s: %d results for %d prompts", wire.MethodUserInputAwait, len(r.Results), len(p.UserInputIDs))
		}
		if !slices.ContainsFunc(r.Results, func(r wire.UserInputAwaited) bool { return r.State != wire.UserInputSettled }) {
			return r, nil
		}
		if left != nil {
			rest := *left - wait
			if rest <= 0 {
				return r, nil
			}
			left = &rest
		}
	}
}

// AnswerInput answers a prompt, every question of it. The first durable settlement
// wins; the loser's error has the kind userInputAlreadySettled and tells how the
// prompt ended. Answers that do not fit have the kind userInputAnswerInvalid, and the
// prompt goes on. A commandId is minted where p has none.
func (c *Client) AnswerInput(ctx context.Context, p wire.UserInputAnswerParams) (wire.UserInputResult, error) {
	p.CommandID = orNewID(p.CommandID)
	var r wire.UserInputResult
	_, err := c.call(ctx, wire.MethodUserInputAnswer, p, &r)
	return r, err
}

// CancelInput declines to answer a prompt. An agent withdraws one with
// [Client.Cancel]. A commandId is minted where p has none.
func (c *Client) CancelInput(ctx context.Context, p wire.UserInputCancelParams) (wire.UserInputResult, error) {
	p.CommandID = orNewID(p.CommandID)
	var r wire.UserInputResult
	_, err := c.call(ctx, wire.MethodUserInputCancel, p, &r)
	return r, err
}

// ClarifyInput says something instead of answering a prompt, which ends it. A
// commandId is minted where p has none.
func (c *Client) ClarifyInput(ctx context.Context, p wire.UserInputClarifyParams) (wire.UserInputResult, error) {
	p.CommandID = orNewID(p.CommandID)
	var r wire.UserInputResult
	_, err := c.call(ctx, wire.MethodUserInputClarify, p, &r)
	return r, err
}

// InterruptInput ends a prompt, with the answers that there are so far, and stops its
// turn. A commandId is minted where p has none.
func (c *Client) InterruptInput(ctx context.Context, p wire.UserInputInterruptParams) (wire.UserInputResult, error) {
	p.CommandID = orNewID(p.CommandID)
	var r wire.UserInputResult
	_, err := c.call(ctx, wire.MethodUserInputInterrupt, p, &r)
	return r, err
}

// EngageInput says that a person has begun to answer: the prompt's deadline is
// removed for good. The daemon does not answer; nil means that it was written to the
// connection, and one that is lost with the connection is not sent again.
func (c *Client) EngageInput(ctx context.Context, p wire.UserInputEngaged) error {
	l, err := c.link(ctx, nil)
	if err == nil {
		err = l.conn.Notify(ctx, wire.MethodUserInputEngaged, p)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", wire.MethodUserInputEngaged, err)
	}
	return nil
}
