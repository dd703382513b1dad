package main

import (
	"context"
	"fmt"
	"io"
	"os/signal"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

func newWatchCommand(dirs *directories) *cobra.Command {
	var asJSON, attend bool
	var only filter
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Follow what is asked and decided, in all sessions",
		Long: `Follow the events of all sessions from now on, and what is pending already. A lost connection
is made again; what happened meanwhile is in the log (approvald show), not here.

On a terminal watch stands for a person who can be asked (--attend): an agent that must not wait
in an empty room waits while it runs. Decide with approvald decide, in another terminal.

With a filter only approvals and prompts are shown, from their beginning to their end, and of a
session what else happens in it.

Exit codes: 0 it was ended by SIGINT or SIGTERM; 1 the daemon refused to go on; 2 the command line;
4 no daemon when it was started.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := only.check(); err != nil {
				return err
			}
			if !cmd.Flags().Changed("attend") {
				attend = isTerminal(cmd.OutOrStdout())
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			w := &watcher{dirs: dirs, out: cmd.OutOrStdout(), notes: cmd.ErrOrStderr(), asJSON: asJSON, attend: attend, only: only}
			return w.run(ctx)
		},
	}
	only.flags(cmd, false)
	jsonFlag(cmd, &asJSON, "print each notification and request as one JSON object")
	cmd.Flags().BoolVar(&attend, "attend", false, "count as a reviewer who can be asked (default: on a terminal)")
	return cmd
}

// watcher prints what a connection to the daemon is told.
type watcher struct {
	dirs           *directories
	out, notes     io.Writer
	asJSON, attend bool
	only           filter

	lost   chan struct{} // a token for a connection that is to be made again
	failed chan error    // the first failure that ends the watch

	mu      sync.Mutex                  // one line at a time
	shown   map[wire.RequirementID]bool // of pending approvals and prompts, which may be told of several times; guarded by mu
	left    map[string]bool             // ids of approvals and prompts that are not meant; guarded by mu
	unasked map[string]unasked          // what policy settles, by approval, until that is told; guarded by mu
}

// unasked is an approval that policy settles.
type unasked struct {
	about string // visible already
	rule  string // "" where none decided
}

// run watches until ctx ends or the daemon refuses to go on.
func (w *watcher) run(ctx context.Context) error {
	w.lost, w.failed = make(chan struct{}, 1), make(chan error, 1)
	w.shown, w.unasked = make(map[wire.RequirementID]bool), make(map[string]unasked)
	w.left = make(map[string]bool)
	c, err := w.dirs.connect(ctx, "host", w.options())
	if err != nil {
		return err
	}
	defer c.Close()
	note := "approvald: watching"
	for {
		// The call waits for a connection, and fails where there will be none. Its
		// answer shows that the daemon counts us in.
		err := w.catchUp(ctx, c)
		if ctx.Err() != nil {
			return nil // as asked
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(w.notes, note)
		note = "approvald: connected again; what happened meanwhile is not shown here"
		select {
		case <-ctx.Done():
			return nil
		case err := <-w.failed:
			return err
		case <-w.lost:
		}
	}
}

func (w *watcher) options() client.Options {
	o := client.Options{
		Role: wire.RoleReviewer, Interactive: w.attend, AllSessions: true, Reconnect: true, DecidedBy: true,
		OnNotification: w.notified, OnConnection: w.connected,
	}
	if w.attend {
		o.OnRequest, o.OnUserInput = w.requested, w.promptRequested
	}
	return o
}

// connected is called with the cause when the connection is lost, and with nil
// when it has been made again.
func (w *watcher) connected(lost error) {
	if lost == nil {
		return // run says so when it has caught up
	}
	fmt.Fprintln(w.notes, "approvald: the daemon is gone; waiting for it to come back")
	select {
	case w.lost <- struct{}{}:
	default: // the last one is not taken note of yet
	}
}

// catchUp shows what is pending. Scripts get only what the daemon sends.
func (w *watcher) catchUp(ctx context.Context, c *client.Client) error {
	for r, err := range waitingOf(ctx, c, "") {
		switch {
		case err != nil:
			return err
		case !w.meant(r), w.asJSON:
		case r.prompt != nil:
			w.prompted(r.prompt, r.prompt.CreatedAt)
		default:
			w.asked(r.approval, r.approval.CreatedAt)
		}
	}
	return nil
}
