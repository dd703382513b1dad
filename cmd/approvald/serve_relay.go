package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/wire"
)

// How long a directory that is held is waited for. A daemon that was killed has its
// directories until the kernel has ended it. One that serves a relay has the state
// directory before it has sockets, and after: it reads its log first, and closes it
// last.
const (
	lockWait    = time.Second
	socketsWait = 5 * time.Second
	holderLook  = 20 * time.Millisecond
)

// openOrJoin opens a daemon or, with --stdio, joins the one that has the state
// directory (protocol §1): one of d and to is set, or err. Until it has joined one
// it becomes the daemon itself where that one ends, and where one answers and may
// not be joined it gives up at once.
func (s *serving) openOrJoin(ctx context.Context, config daemon.Config) (d *daemon.Daemon, to *upstream, err error) {
	var held *log.HeldError
	relays := s.stdio && !s.noRelay
	patience := time.After(lockWait)
	if relays {
		patience = time.After(socketsWait)
	}
	look := time.NewTicker(holderLook)
	defer look.Stop()
	for {
		d, err := daemon.Open(config)
		if !errors.As(err, &held) {
			return d, nil, err
		}
		switch to, err := s.joinHolder(ctx, held.Holder); {
		case relays && (to != nil || err != nil):
			return nil, to, err
		case to != nil:
			return nil, nil, errors.Join(held, to.Close())
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-patience:
			if relays {
				return nil, nil, fmt.Errorf("%w; it cannot serve this client, since it has no sockets where they are looked for (--runtime-dir)", held)
			}
			return nil, nil, held
		}
	}
}

// joinHolder joins the process that has the state directory; neither a connection
// nor an error where it has no sockets, which may change.
func (s *serving) joinHolder(ctx context.Context, holder log.Holder) (*upstream, error) {
	runtime, err := s.dirs.runtime()
	if err != nil {
		return nil, err
	}
	switch other, taken := log.ReadHolder(runtime); {
	case !taken || other.PID == 0:
		return nil, nil //nolint:nilnil // as said
	case other.PID != holder.PID:
		return nil, &daemon.SocketsHeldError{Dir: runtime, Holder: other}
	}
	socket, err := s.dirs.socket("host")
	if err != nil {
		return nil, err
	}
	to, err := join(ctx, socket, wire.Role(s.stdioRole))
	if errors.Is(err, errDraining) || nobodyThere(err) {
		return nil, nil //nolint:nilnil // as said
	}
	if err != nil {
		return nil, err
	}
	to.at = holder
	return to, nil
}

// relayTo passes standard input and output on to the daemon that was joined.
func (s *serving) relayTo(ctx context.Context, to *upstream, cmd *cobra.Command) error {
	defer to.Close()
	w := cmd.ErrOrStderr()
	fmt.Fprintf(w, "approvald %s: %s has the state directory; this client is relayed to it\n", buildVersion(), to.at)
	if flags := relayIgnores(cmd.Flags()); len(flags) > 0 {
		fmt.Fprintf(w, "approvald: that daemon goes on as it was started, without this command line's %s\n", strings.Join(flags, ", "))
	}
	return to.relay(ctx, os.Stdin, os.Stdout)
}

// relayIgnores are the flags that were given and mean nothing to a relay.
func relayIgnores(given *pflag.FlagSet) (ignored []string) {
	given.Visit(func(f *pflag.Flag) {
		if !slices.Contains([]string{"stdio", "stdio-role", "no-relay", "state-dir", "runtime-dir"}, f.Name) {
			ignored = append(ignored, "--"+f.Name)
		}
	})
	return ignored
}
