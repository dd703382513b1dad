package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/approvald/approvald/internal/audit"
)

func newBackupCommand(dirs *directories) *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the log to a file, while the daemon runs",
		Long: `backup copies the log of the state directory to FILE, mode 0600, which must not exist, and verifies
the copy. The daemon goes on meanwhile and is not asked: the copy is the log as it was at one
moment of the copying. A log that is written so often that no moment is long enough is refused;
try again, or stop the daemon.

FILE is a log: put it into a state directory as sessions.db to serve it. The rules that reviewers
wrote for workspaces are files of their own, in the directory workspaces of the state directory.

Exit codes: 0 the copy holds; 1 it could not be made; 6 the log is damaged, and there is no copy.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := dirs.logPath(nil)
			if err != nil {
				return err
			}
			to, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			p := newProgress(ctx, cmd.ErrOrStderr())
			report, err := audit.Backup(path, to, p.of("copying"), p.of("verifying"))
			p.end()
			if errors.Is(err, os.ErrExist) {
				return fmt.Errorf("%s exists, and a backup overwrites nothing: give another name, or remove it first", to)
			}
			if err != nil {
				return dirs.mend(noLog(path, err))
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is a copy of the log: %s\nhead %x\n", visible(to), countOf(report.Records), report.Head)
			return err
		},
	}
}
