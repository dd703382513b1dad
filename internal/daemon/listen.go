package daemon

import (
	"errors"
	"fmt"

	"github.com/approvald/approvald/internal/log"
)

// SocketsHeldError says that another daemon has the sockets of a runtime
// directory.
type SocketsHeldError struct {
	Dir    string
	Holder log.Holder // zero if the holder cannot be named
}

func (e *SocketsHeldError) Error() string {
	return fmt.Sprintf("the sockets in %s are those of %s: stop it, or choose another runtime directory", e.Dir, e.Holder)
}

// Listen opens the three sockets and serves what connects to them. It returns
// their paths in the order agent, reviewer, host.
//
// The runtime directory is locked like the state directory: a daemon with
// another one, or with none, may be given the same sockets, and would take them
// from under the clients of the first. The error is then a *SocketsHeldError.
func (d *Daemon) Listen() ([]string, error) {
	lock, err := log.Acquire(d.cfg.RuntimeDir, d.holder(), d.cfg.SocketsWait)
	if held, ok := errors.AsType[*log.HeldError](err); ok {
		return nil, &SocketsHeldError{held.Dir, held.Holder}
	}
	if err != nil {
		return nil, fmt.Errorf("lock the runtime directory: %w", err)
	}
	d.runtime = lock
	sockets, err := d.server.Listen(d.cfg.RuntimeDir)
	if err != nil {
		return nil, err
	}
	d.sockets = sockets
	sockets.Serve(d.serving)
	return sockets.Paths(), nil
}
