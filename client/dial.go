package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
)

// Dialer makes one connection to the daemon. Closing the connection must end a
// Read that waits on it.
type Dialer func(ctx context.Context) (io.ReadWriteCloser, error)

// Dial connects to the unix socket at path and shakes hands. ctx bounds only
// that. The caller must Close the client.
func Dial(ctx context.Context, path string, o Options) (*Client, error) {
	return Connect(ctx, func(ctx context.Context) (io.ReadWriteCloser, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", path)
	}, o)
}

// New shakes hands over rwc, which the client owns from now on. Such a client
// cannot reconnect; use [Connect] where the other end can be started again.
func New(ctx context.Context, rwc io.ReadWriteCloser, o Options) (*Client, error) {
	if o.Reconnect {
		return nil, errors.Join(
			errors.New("client: New cannot reconnect; use Connect with a Dialer"), rwc.Close())
	}
	c, err := Connect(ctx, func(context.Context) (io.ReadWriteCloser, error) { return rwc, nil }, o)
	if err != nil {
		_ = rwc.Close() // err says what happened; it may be closed already
	}
	return c, err
}

// Connect dials, shakes hands, and with Options.Reconnect dials again whenever
// the connection is lost. The first attempt is the only one: its failure is
// returned. ctx bounds only that.
func Connect(ctx context.Context, dial Dialer, o Options) (*Client, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	c := newClient(dial, o)
	rwc, err := dial(ctx)
	if err != nil {
		c.cancel()
		return nil, fmt.Errorf("client: no connection to the daemon; is it running? %w", err)
	}
	l, err := c.shakeHands(ctx, rwc)
	if err != nil {
		c.cancel()
		return nil, fmt.Errorf("client: handshake: %w", err)
	}
	c.start(l)
	return c, nil
}

// Join makes one connection of the two pipes of a child process.
func Join(r io.ReadCloser, w io.WriteCloser) io.ReadWriteCloser {
	return joined{r, w}
}

type joined struct {
	io.ReadCloser
	w io.WriteCloser
}

func (j joined) Write(p []byte) (int, error) { return j.w.Write(p) }

// Close closes the writing end first, so that the child sees the end of input.
func (j joined) Close() error {
	return errors.Join(j.w.Close(), j.ReadCloser.Close())
}
