package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/approvald/approvald/internal/audit"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
)

func newVerifyCommand(dirs *directories) *cobra.Command {
	var head string
	var asJSON, bodies bool
	cmd := &cobra.Command{
		Use:   "verify [FILE]",
		Short: "Check that a log is whole and unaltered",
		Long: `verify reads the log of the state directory, or the FILE that is named (a backup), from its first
record to its last: sequences without holes, checksums, the chain over them, kinds and versions,
and then the pages of the file. It changes nothing and needs no daemon. Of a log that a daemon is
writing it reads a copy, as of now, in $TMPDIR.

What a disk or a person did to a record shows in that. --bodies decodes every record as well, which
takes some six times as long: it finds one that a faulty approvald wrote, sound in all but its sense.

It prints how many records there are and the head of the chain. Keep a head elsewhere: that it is
in the chain later (--head) proves that nothing before it was rewritten or lost. A log that was cut
off at its end and a log that was never longer look alike, and only a head tells them apart.

Exit codes: 0 the log holds, and the head is in it; 1 the head is not in it, or the log could not
be read or is of a newer version; 6 it is damaged, and the sentence names the first sequence.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted, err := parseHead(head)
			if err != nil {
				return err
			}
			path, err := dirs.logPath(args)
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			v, err := verifyLog(ctx, path, audit.Options{Head: wanted, Bodies: bodies}, cmd.ErrOrStderr())
			if told := v.tell(cmd.OutOrStdout(), err, asJSON); told != nil {
				return told
			}
			if len(args) > 0 {
				return damagedFile(err)
			}
			return dirs.mend(err)
		},
	}
	cmd.Flags().StringVar(&head, "head", "", "a head that must be in the chain, as verify printed it before")
	cmd.Flags().BoolVar(&bodies, "bodies", false, "decode the body of every record too")
	jsonFlag(cmd, &asJSON, "print one JSON object, of a damaged log as well")
	return cmd
}

// parseHead reads a head of the command line; nil for none.
func parseHead(text string) (*record.Chain, error) {
	if text == "" {
		return nil, nil
	}
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != len(record.Chain{}) {
		return nil, exitf(exitUsage, "--head %s is no head: give the %d hexadecimal digits that verify prints", text, 2*len(record.Chain{}))
	}
	return (*record.Chain)(raw), nil
}

// verified is a log and what was found in it.
type verified struct {
	path    string
	wanted  *record.Chain
	opened  bool        // nothing is known of a log that could not be
	writer  *log.Holder // the daemon that writes it
	headers int
	audit.Report
}

func verifyLog(ctx context.Context, path string, o audit.Options, stderr io.Writer) (v verified, err error) {
	p := newProgress(ctx, stderr)
	defer p.end()
	v = verified{path: path, wanted: o.Head}
	r, err := openLog(ctx, path, p)
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	v.opened, v.writer, v.headers = true, r.writer, r.Headers()
	o.Progress = p.of("verifying")
	v.Report, err = audit.Verify(r.Reader, o)
	if errors.Is(err, audit.ErrHeadNotFound) {
		err = fmt.Errorf("the log %s holds, and no record of it has the head %x: it was rewritten, or cut off before it, or is another log; "+
			"it has %s and the head %x", path, *o.Head, countOf(v.Records), v.Head)
	}
	return v, err
}

// damagedFile is mend for a file that is no state directory's.
func damagedFile(err error) error {
	if _, _, damaged := audit.Damage(err); damaged {
		return &exitError{exitDamaged, err}
	}
	return err
}

// tell prints what is known of the log; what is wrong with it is the error's to
// say.
func (v verified) tell(w io.Writer, err error, asJSON bool) error {
	_, _, damaged := audit.Damage(err)
	switch {
	case asJSON && v.opened:
		return printJSON(w, v.object(err))
	case err == nil:
		return v.print(w)
	case damaged && v.opened:
		_, err := fmt.Fprintf(w, "%s before it hold, up to head %x\n", countOf(v.Records), v.Head)
		return err
	}
	return nil
}

// print tells a person of a log that holds.
func (v verified) print(w io.Writer) error {
	writes := ""
	if v.writer != nil {
		writes = fmt.Sprintf(" (as of now; %s writes it)", v.writer)
	}
	fmt.Fprintf(w, "%s holds: %s%s\n", visible(v.path), countOf(v.Records), writes)
	for _, k := range slices.Sorted(maps.Keys(v.Kinds)) {
		fmt.Fprintf(w, "  %-16s %d\n", k, v.Kinds[k])
	}
	if v.Records > 0 {
		fmt.Fprintf(w, "from %s to %s\n", stamp(v.First), stamp(v.Last))
	}
	if v.headers == 1 {
		fmt.Fprintln(w, "one of the file's two header pages does not hold: a crash leaves it so, and the next commit mends it; "+
			"if there was no crash, the last commit may be lost: look for a head that you kept (--head)")
	}
	if v.Proven != nil {
		fmt.Fprintf(w, "head %x is that of record %d\n", *v.wanted, *v.Proven)
	}
	_, err := fmt.Fprintf(w, "head %x\n", v.Head)
	return err
}

// countOf is a number of records in words.
func countOf(records uint64) string {
	if records == 1 {
		return "1 record"
	}
	return fmt.Sprintf("%d records", records)
}

// stamp is a time of a record as the wire spells it.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }
