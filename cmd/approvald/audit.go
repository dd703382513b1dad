package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/approvald/approvald/internal/audit"
)

func newAuditCommand(dirs *directories) *cobra.Command {
	var q auditQuery
	cmd := &cobra.Command{
		Use:   "audit [FILE]",
		Short: "Tell what was asked and decided, from the log",
		Long: `audit reads the log of the state directory, or the FILE that is named (a backup), without a daemon:
a row for each approval and prompt, when it was settled, how, by whom or which rule, and whether the agent took
the decision; then what is still pending. With --json it prints everything that the log says, an
object for each record: what exactly was shown, who is at the other end, feedback, grants, modes and
refusals. docs/AUDIT.md describes the members, whose names are stable. Of a log that a daemon is
writing it reads a copy, as of now, in $TMPDIR. A daemon that runs with --ephemeral keeps no log.

The log is verified meanwhile: rows end before the first record that does not hold. --head prints the
head of the chain and nothing else, at once; keep it elsewhere, and "approvald verify --head" proves
later that history was not rewritten.

Times are RFC 3339, a date (its midnight, here), or how long ago: 90m, 2h, 7d.

Exit codes: 0 all that is wanted was told; 1 the log could not be read, or is of a newer version;
2 the command line; 6 the log is damaged, and what is before the damage was told.`,
		Example: `  approvald audit --since 2h
  approvald audit --outcome rejected --tool bash
  approvald audit --path src/ --json | jq -r .feedback
  approvald audit --head`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := q.check(cmd.Flags()); err != nil {
				return err
			}
			path, err := dirs.logPath(args)
			if err != nil {
				return err
			}
			err = q.run(cmd.Context(), path, cmd.OutOrStdout(), cmd.ErrOrStderr())
			if len(args) > 0 {
				return damagedFile(err)
			}
			return dirs.mend(err)
		},
	}
	q.flags(cmd)
	return cmd
}

// run tells what is wanted. A reader that has enough ends it, which is no
// failure.
func (q *auditQuery) run(ctx context.Context, path string, stdout, stderr io.Writer) error {
	signal.Ignore(syscall.SIGPIPE) // writing says so instead
	err := q.tell(ctx, path, stdout, stderr)
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

func (q *auditQuery) tell(ctx context.Context, path string, stdout, stderr io.Writer) (err error) {
	if q.head {
		_, head, err := audit.Head(path)
		if err != nil {
			return noLog(path, err)
		}
		_, err = fmt.Fprintf(stdout, "%x\n", head)
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	p := newProgress(ctx, stderr)
	defer p.end()
	r, err := openLog(ctx, path, p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	return q.print(r, besideProgress{stdout, p, isTerminal(stdout)}, stderr, p)
}

// print writes what is wanted of a log, a piece at a time.
func (q *auditQuery) print(r *reading, stdout, stderr io.Writer, p *progress) error {
	out := bufio.NewWriterSize(stdout, 64<<10)
	if q.asJSON {
		return errors.Join(q.lines(r, out, p), out.Flush())
	}
	return errors.Join(q.table(r, out, stderr, p), out.Flush())
}

// lines prints an object for each line that is wanted.
func (q *auditQuery) lines(r *reading, out io.Writer, p *progress) error {
	object := func(l *audit.Line) error { return printJSON(out, l) }
	if !q.pending {
		return audit.Lines(r.Reader, q.filter, p.of("reading the log"), object)
	}
	survey, err := audit.NewSurvey(r.Reader, p.of("reading the log"))
	if err != nil {
		return err // what waits before damage may have been settled behind it
	}
	return audit.Pending(r.Reader, survey, q.filter, object)
}

// besideProgress takes the line of progress away before it writes to a terminal,
// which is the same.
type besideProgress struct {
	io.Writer
	p        *progress
	terminal bool
}

func (w besideProgress) Write(b []byte) (int, error) {
	if w.terminal {
		w.p.end()
	}
	return w.Writer.Write(b)
}
