package client

import (
	"context"
	"log/slog"
	"sync"

	"github.com/approvald/approvald/wire"
)

// StartTurn has the agent that is attached to a session begin a turn. A session has one
// open turn at most: the refusal run_active says that one is open, or that something
// waits outside one, missing_run that nobody is there to carry it out. A commandId is
// minted where p has none.
func (c *Client) StartTurn(ctx context.Context, p wire.TurnStartParams) (wire.TurnStartResult, error) {
	p.CommandID = orNewID(p.CommandID)
	var r wire.TurnStartResult
	_, err := c.call(ctx, wire.MethodTurnStart, p, &r)
	return r, err
}

// InterruptTurn stops a turn, with what is pending in it: the open one, where p names
// none. A commandId is minted where p has none.
func (c *Client) InterruptTurn(ctx context.Context, p wire.TurnInterruptParams) (wire.TurnInterruptResult, error) {
	p.CommandID = orNewID(p.CommandID)
	var r wire.TurnInterruptResult
	_, err := c.call(ctx, wire.MethodTurnInterrupt, p, &r)
	return r, err
}

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

// turns is what a client that carries out turns knows of them. A turn is told once,
// whether it comes as an event or is found after a reconnect.
type turns struct {
	mu    sync.Mutex
	told  map[string]string           // by session, the last that OnTurn was called for
	early map[string]wire.TurnStarted // of child sessions that are not this client's, or not yet
}

// noteTurn takes a notification about a turn off the wire, if it is one. It runs in the
// library's reader.
func (c *Client) noteTurn(e Event) {
	if c.opts.OnTurn == nil || e.Method != wire.MethodTurnStarted && e.Method != wire.MethodTurnCompleted {
		return
	}
	if e.Method == wire.MethodTurnCompleted {
		c.turns.mu.Lock()
		delete(c.turns.early, e.SessionID)
		c.turns.mu.Unlock()
		return
	}
	var started wire.TurnStarted
	if err := decode(e.Params, &started); err != nil {
		c.opts.Logger.Warn("dropped a turn that cannot be read", slog.Any("err", err))
		return
	}
	switch mine, watched := c.holds(started.SessionID); {
	case mine, started.SubagentOrigin == nil && !watched:
		c.tellTurn(started)
	case !watched:
		c.turns.mu.Lock()
		c.turns.early[started.SessionID] = started
		c.turns.mu.Unlock()
	}
}

// holds reports whether a session was started or resumed by this client, and whether the
// client looks on at it for another reason. Where neither is so the daemon has started
// this program for it (serve --agent-cmd).
func (c *Client) holds(session string) (mine, watched bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.attached[session], c.opts.AllSessions || c.subs[session] != nil
}

// claimTurn tells of the turn of a session that has just become this client's, where it
// began before the client knew.
func (c *Client) claimTurn(session string) {
	c.turns.mu.Lock()
	started, ok := c.turns.early[session]
	delete(c.turns.early, session)
	c.turns.mu.Unlock()
	if ok {
		c.tellTurn(started)
	}
}

// tellTurn has OnTurn called, once a turn.
func (c *Client) tellTurn(t wire.TurnStarted) {
	if c.wasTold(t.SessionID, t.TurnID, true) {
		return
	}
	size := 0
	for _, part := range t.Input {
		size += len(part)
	}
	c.queue.push(task{size: size, run: func() { c.opts.OnTurn(t) }})
}

// wasTold reports whether OnTurn was called for a turn, and may note that it now is.
func (c *Client) wasTold(session, turn string, now bool) bool {
	c.turns.mu.Lock()
	defer c.turns.mu.Unlock()
	was := c.turns.told[session] == turn
	if now {
		c.turns.told[session] = turn
	}
	return was
}

// findTurn tells of the open turn of a session that was resumed on l, where it began
// while nobody was there to hear of it. Its error may be gone on another attempt.
func (c *Client) findTurn(ctx context.Context, l *link, s wire.Session) error {
	if c.opts.OnTurn == nil || s.ActiveTurnID == nil || c.wasTold(s.SessionID, *s.ActiveTurnID, false) {
		return nil
	}
	ask := wire.ViewPageParams{SessionID: s.SessionID, Limit: 1000, Direction: wire.DirectionBackward}
	for {
		var page wire.ViewPageResult
		err := l.call(ctx, wire.MethodViewPage, ask, &page)
		if passing(err) {
			return err
		}
		for _, e := range page.Events {
			var started wire.TurnStarted
			if e.Method == wire.MethodTurnStarted && decode(e.Params, &started) == nil && started.TurnID == *s.ActiveTurnID {
				c.tellTurn(started)
				return nil
			}
		}
		if err != nil || page.NextCursor == nil {
			c.opts.Logger.Warn("the open turn of a session cannot be read",
				slog.String("session", s.SessionID), slog.String("turn", *s.ActiveTurnID), slog.Any("err", err))
			return nil
		}
		ask.Cursor = *page.NextCursor
	}
}
