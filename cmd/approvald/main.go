// Command approvald is the approval daemon and the way to speak to it from a
// shell.
//
// main reads from top to bottom: root.go lists the commands, each has a file of
// its own, errors.go says what becomes of an error, exit.go what a script may
// conclude. Nothing here decides anything about an approval: serve assembles
// internal/daemon, everything else is a client on its sockets.
package main

import (
	"os"

	"github.com/spf13/cobra"
)

func main() { os.Exit(run(os.Args[1:])) }

// run carries out one command line and returns the exit code. Its error goes to
// standard error, the one place where it is told.
func run(args []string) int {
	root := newRootCommand()
	root.SetArgs(args)
	ran := false // whether the command line was understood
	root.PersistentPreRun = func(*cobra.Command, []string) { ran = true }
	cmd, err := root.ExecuteC()
	if err == nil {
		return exitOK
	}
	if !ran && !settledOn(err) {
		err = &usageError{command: cmd.CommandPath(), cause: err}
	}
	return tell(cmd.ErrOrStderr(), err)
}
