package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/approvald/approvald/wire"
)

// handshakeTimeout bounds one attempt to reconnect.
const handshakeTimeout = 10 * time.Second

// supervise watches the current link and replaces it. It returns when the client
// is closed or cannot go on; the dispatcher then ends with what is queued.
func (c *Client) supervise(l *link) {
	defer c.queue.close(false)
	for {
		select {
		case <-l.conn.DisconnectNotify():
		case <-c.ctx.Done():
		}
		l.close()
		if c.ctx.Err() != nil {
			c.fail(ErrClosed)
			return
		}
		cause := l.stream.cause()
		if errors.Is(cause, ErrFrameTooLarge) {
			c.fail(cause)
			return
		}
		lost := fmt.Errorf("%w: %w", ErrConnectionLost, cause)
		if !c.opts.Reconnect {
			c.fail(lost)
			return
		}
		c.setLink(nil)
		c.tell(lost)
		next, err := c.reconnect()
		if err != nil {
			c.fail(err)
			return
		}
		l = next
		c.setLink(l)
		c.tell(nil)
	}
}

// tell says that the connection was lost, or with nil that there is another.
func (c *Client) tell(lost error) {
	if lost != nil {
		c.opts.Logger.Warn("reconnecting", slog.Any("err", lost))
	} else {
		c.opts.Logger.Info("reconnected")
	}
	if c.opts.OnConnection != nil {
		c.queue.push(task{run: func() { c.opts.OnConnection(lost) }})
	}
}

// reconnect tries until there is a link with all sessions and subscriptions
// restored. It gives up when the client is closed, the daemon refuses the
// handshake for good, or sends a frame over the cap.
func (c *Client) reconnect() (*link, error) {
	for attempt := 0; ; attempt++ {
		if err := sleep(c.ctx, c.opts.Backoff(attempt)); err != nil {
			return nil, ErrClosed
		}
		l, err := c.tryReconnect()
		if err == nil {
			return l, nil
		}
		var refusal *wire.Error
		if errors.Is(err, ErrFrameTooLarge) || errors.As(err, &refusal) && !refusal.Data.Retryable {
			return nil, fmt.Errorf("client: reconnecting: %w", err)
		}
		c.opts.Logger.Debug("not reconnected yet", slog.Int("attempt", attempt), slog.Any("err", err))
	}
}

func (c *Client) tryReconnect() (*link, error) {
	ctx, cancel := context.WithTimeout(c.ctx, handshakeTimeout)
	defer cancel()
	rwc, err := c.dial(ctx)
	if err != nil {
		return nil, err
	}
	l, err := c.shakeHands(ctx, rwc)
	if err != nil {
		return nil, err
	}
	// Without the bound: a daemon may need long to recover what is asked for.
	if err := c.restore(c.ctx, l); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// restore gives l what the client had: the sessions it started or resumed (an
// agent owns a session only on the connection that resumed it, protocol §2) and
// its subscriptions. What the daemon refuses for good is dropped, and the next
// use of it says why.
func (c *Client) restore(ctx context.Context, l *link) error {
	sessions, subs := c.holdings()
	for _, id := range sessions {
		var resumed wire.SessionResumeResult
		err := l.call(ctx, wire.MethodSessionResume, resumeParams(id), &resumed)
		if err == nil {
			err = c.findTurn(ctx, l, resumed.Session) // of which no refusal comes
		}
		if passing(err) {
			return err
		}
		if err != nil {
			c.opts.Logger.Warn("a session could not be resumed", slog.String("session", id), slog.Any("err", err))
			c.detach(id)
		}
	}
	for _, s := range subs {
		err := l.call(ctx, wire.MethodViewSubscribe, wire.ViewSubscribeParams{SessionID: s.sessionID}, nil)
		if passing(err) {
			return err
		}
		s.interrupted(err)
	}
	return nil
}

// passing reports whether err may be gone on another attempt: anything but a
// refusal for good.
func passing(err error) bool {
	var refusal *wire.Error
	return err != nil && (!errors.As(err, &refusal) || refusal.Data.Retryable)
}

// resumeParams asks for a session without its history.
func resumeParams(sessionID string) wire.SessionResumeParams {
	return wire.SessionResumeParams{CommandID: NewCommandID(), SessionID: sessionID, ExcludeItems: true}
}

// sleep waits for d or the end of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
