package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/approvald/approvald/internal/audit"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/rulefile"
)

// storesDir is the directory of a state directory in which rules of workspaces
// are.
const storesDir = "workspaces"

func newSalvageCommand(dirs *directories) *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "salvage --to DIR",
		Short: "Copy what holds of a damaged log into a new state directory",
		Long: `salvage reads the log of the state directory up to the first record that does not hold, and writes
what is before it, byte for byte, into a new log in DIR, which must be empty or not exist; with it go
the rules that reviewers wrote for workspaces. The damaged log is left as it is. What is in DIR is
verified, and served by "approvald serve --state-dir DIR".

What comes after the first damaged record is not kept, although some of it may be readable: without
what is missing before it, it could say that something is allowed which was revoked.

Exit codes: 0 the new log holds, and the sentence says what was lost; 1 it could not be made, or the
log is of a newer version, which is no damage; 6 not one record holds.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if to == "" {
				return exitf(exitUsage, "salvage never changes a log in place: give --to with a directory that is empty or does not exist")
			}
			path, err := dirs.logPath(nil)
			if err != nil {
				return err
			}
			target, err := filepath.Abs(to)
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return salvageLog(ctx, path, target, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "the new state directory, which must be empty or not exist")
	return cmd
}

// salvageLog makes a state directory of what holds of a log.
func salvageLog(ctx context.Context, path, target string, stdout, stderr io.Writer) (err error) {
	syscall.Umask(0o077)
	r, err := log.OpenReader(path)
	if err != nil {
		return damagedFile(noLog(path, err))
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	lock, err := takeVacant(target)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	// The log comes last: with it the directory can be served. The rules are newer
	// than what is kept of the log: one that was revoked is not in them.
	stores := filepath.Join(target, storesDir)
	defer func() {
		if err != nil {
			_ = os.RemoveAll(stores) // so that the next try finds the directory empty
		}
	}()
	rules, err := rulefile.CopyStores(filepath.Join(filepath.Dir(path), storesDir), stores)
	if err != nil {
		return fmt.Errorf("the rules of workspaces could not be copied, and nothing was salvaged: %w", err)
	}
	p := newProgress(ctx, stderr)
	out, err := audit.Salvage(r, filepath.Join(target, logFile), p.of("salvaging"))
	p.end()
	if err != nil {
		return damagedFile(err)
	}
	return tellSalvaged(stdout, out, target, rules)
}

// takeVacant makes a directory a state directory, mode 0700, that no daemon can
// take for as long as the lock is held.
func takeVacant(dir string) (*log.Lock, error) {
	vacant, err := log.Vacant(dir)
	if err == nil && !vacant {
		err = fmt.Errorf("%s is not empty, and a salvage overwrites nothing: give another directory", dir)
	}
	if err != nil {
		return nil, err
	}
	lock, err := log.Acquire(dir, log.Holder{PID: os.Getpid(), Version: buildVersion(), StartedAt: time.Now()}, 0)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o700); err != nil { //nolint:gosec // a directory
		return nil, errors.Join(err, lock.Release())
	}
	return lock, nil
}

func tellSalvaged(w io.Writer, out audit.Salvaged, target string, rules int) error {
	fmt.Fprintf(w, "kept: %s, in %s\n", countOf(out.Records), visible(target))
	if rules > 0 {
		fmt.Fprintf(w, "kept: the rules of workspaces (files: %d)\n", rules)
	}
	fmt.Fprintf(w, "lost: %s\n", lost(out))
	if out.Damage != nil {
		fmt.Fprintf(w, "why: %s\n", visible(out.Damage.Error()))
	}
	fmt.Fprintf(w, "head %x\n", out.Head)
	_, err := fmt.Fprintf(w, "serve it with: approvald serve --state-dir %s\n", shellWords([]string{target}))
	return err
}

// lost says which records were not kept. Damage names the first that could not
// be read in its place, and some may have been found elsewhere.
func lost(out audit.Salvaged) string {
	seq, _, damaged := audit.Damage(out.Damage)
	first := out.Records + 1
	switch {
	case !damaged:
		return "nothing, the log holds"
	case seq == 0:
		return "no record; what does not hold is the file that they were in"
	case out.Last < first:
		return fmt.Sprintf("whatever came after record %d; how much that is cannot be told", out.Records)
	case out.Last == first:
		return fmt.Sprintf("record %d, the last that can be seen", first)
	}
	return fmt.Sprintf("records %d to %d, the last that can be seen", first, out.Last)
}
