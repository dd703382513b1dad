package client

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/approvald/approvald/wire"
)

// Client is a connection to an approvald daemon, or with Options.Reconnect a
// succession of them. See the package comment for its concurrency.
type Client struct {
	opts   Options
	dial   Dialer
	ctx    context.Context //nolint:containedctx // the client's life, which ends with Close
	cancel context.CancelFunc
	queue  *queue
	done   sync.WaitGroup // supervisor and dispatcher

	mu       sync.Mutex
	cur      *link                    // nil while there is none
	changed  chan struct{}            // closed and replaced when cur or failed changes
	failed   error                    // set once, ends every call
	server   wire.InitializeResult    // of the latest handshake
	attached map[string]bool          // sessions to resume on the next link
	subs     map[string]*Subscription // by session

	turns turns
}

func newClient(dial Dialer, o Options) *Client {
	ctx, cancel := context.WithCancel(context.Background())
	return &Client{
		opts:     o,
		dial:     dial,
		ctx:      ctx,
		cancel:   cancel,
		queue:    newQueue(),
		changed:  make(chan struct{}),
		attached: map[string]bool{},
		subs:     map[string]*Subscription{},
		turns:    turns{told: map[string]string{}, early: map[string]wire.TurnStarted{}},
	}
}

// start runs the client on its first link.
func (c *Client) start(l *link) {
	c.setLink(l)
	c.done.Go(func() { c.supervise(l) })
	c.done.Go(c.queue.run)
}

// Close ends the connection and every call, and returns when no goroutine of the
// client is left. It waits for a handler that is running, so a handler must not
// call it. Closing twice is harmless.
func (c *Client) Close() error {
	c.cancel()
	c.queue.close(true)
	c.done.Wait()
	return nil
}

// Server is the daemon's side of the latest handshake.
func (c *Client) Server() wire.InitializeResult {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server
}

// call sends a request and, with Reconnect, sends it again until it is answered:
// on the next connection when one breaks, on any when the daemon says that it is
// going down or that a commit failed. The params must therefore carry their
// commandId. It returns the link that answered.
func (c *Client) call(ctx context.Context, method string, params, result any) (*link, error) {
	c.queue.callStarted()
	defer c.queue.callEnded()
	var dead *link
	for attempt := 0; ; attempt++ {
		l, err := c.link(ctx, dead)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		err = l.call(ctx, method, params, result)
		if err == nil || !c.opts.Reconnect {
			return l, err
		}
		switch {
		case errors.Is(err, ErrConnectionLost):
			dead = l
		case wire.IsKind(err, wire.KindShuttingDown), wire.IsKind(err, wire.KindInternal) && wire.IsRetryable(err):
			if err := sleep(ctx, c.opts.Backoff(attempt)); err != nil {
				return nil, fmt.Errorf("%s: %w", method, err)
			}
		default:
			return l, err
		}
	}
}

// link waits for a live connection other than dead.
func (c *Client) link(ctx context.Context, dead *link) (*link, error) {
	for {
		c.mu.Lock()
		cur, failed, changed := c.cur, c.failed, c.changed
		c.mu.Unlock()
		if failed != nil {
			return nil, failed
		}
		if cur != nil && cur != dead {
			return cur, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// setLink makes l, which may be nil, the current connection.
func (c *Client) setLink(l *link) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cur = l
	if l != nil {
		c.server = l.server
	}
	close(c.changed)
	c.changed = make(chan struct{})
}

// fail ends every call, now and later, with err.
func (c *Client) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cur, c.failed = nil, err
	close(c.changed)
	c.changed = make(chan struct{})
}
