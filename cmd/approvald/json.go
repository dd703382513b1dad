package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/approvald/approvald/wire"
)

// jsonFlag gives a command its --json. Wherever there may be several objects,
// each is on a line of its own, so that a script can take them one by one.
func jsonFlag(cmd *cobra.Command, on *bool, usage string) {
	cmd.Flags().BoolVar(on, "json", false, usage)
}

// printJSON writes v as one line. What a terminal would act on or hide is
// written as JSON escapes, which mean the same to every reader of JSON.
func printJSON(w io.Writer, v any) error {
	line, err := wire.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(visibleJSON(line), '\n'))
	return err
}
