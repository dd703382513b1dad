package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

func newWebCommand(dirs *directories) *cobra.Command {
	return &cobra.Command{
		Use:   "web",
		Short: "Print a link that opens the web inbox",
		Long: `Print a link that opens the web inbox of the daemon that runs. It works once, within ten minutes,
and lets in whoever has it: into a browser of yours, for seven days, until you leave there.

The daemon serves an inbox where it was started with approvald serve --http 127.0.0.1:8787.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := dirs.connect(cmd.Context(), "host", client.Options{Role: wire.RoleReviewer})
			if err != nil {
				return err // the file may be left of a daemon that was killed
			}
			defer c.Close()
			runtime, err := dirs.runtime()
			if err != nil {
				return err
			}
			door, err := readWebDoor(runtime)
			if err != nil {
				return err
			}
			link, byAddress, err := door.link(time.Now())
			if err != nil {
				return err
			}
			if byAddress != link {
				fmt.Fprintf(cmd.ErrOrStderr(), "Where the name is not known (Safari): %s\n", byAddress)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), link)
			return err
		},
	}
}
