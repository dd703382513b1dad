package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/approvald/approvald/internal/inbox/plain"
)

// plainInbox is the inbox in lines. It stands for a person only where it is on a
// terminal.
func (d *directories) plainInbox(cmd *cobra.Command) error {
	socket, err := d.socket("host")
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	dial, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	err = plain.Run(ctx, dial, plain.Options{
		Socket: socket, Version: buildVersion(), In: cmd.InOrStdin(), Out: cmd.OutOrStdout(),
		Interactive: isTerminal(os.Stdin) && isTerminal(os.Stdout),
	})
	if nobodyThere(err) {
		return &noDaemonError{socket: socket, holder: d.holder(), cause: err}
	}
	return err
}
