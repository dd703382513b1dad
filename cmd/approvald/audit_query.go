package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/approvald/approvald/internal/audit"
	"github.com/approvald/approvald/wire"
)

// auditQuery is what the command line asks of a log.
type auditQuery struct {
	filter                audit.Filter
	events                []string
	since, until          string
	pending, asJSON, head bool
}

// outcomes are those of protocol §6.
var outcomes = []string{
	string(wire.OutcomeAllowedOnce), string(wire.OutcomeAllowedSession), string(wire.OutcomeAllowedPersistent),
	string(wire.OutcomeRejected), string(wire.OutcomeCancelled), string(wire.OutcomeTimedOut),
	string(wire.OutcomeUnavailable), string(wire.OutcomeSuperseded),
}

func (q *auditQuery) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&q.filter.Session, "session", "", "only of this session: its id, or the beginning of it")
	f.StringVar(&q.filter.Approval, "approval", "", "only about this approval: its id, or the beginning of it")
	f.StringSliceVar(&q.filter.Tools, "tool", nil, "only about calls of this tool, or these")
	f.StringSliceVar(&q.filter.Outcomes, "outcome", nil, "only what was settled so: "+strings.Join(outcomes, ", "))
	f.StringVar(&q.since, "since", "", "only at this time or later")
	f.StringVar(&q.until, "until", "", "only before this time")
	f.StringVar(&q.filter.Path, "path", "", "only about this file or directory and what is below it, and commands that run there")
	f.StringVar(&q.filter.Text, "text", "", "only with this text in subject, reasons or feedback, in whatever case")
	f.StringSliceVar(&q.events, "event", nil, "with --json, only these events: "+strings.Join(events(), ", "))
	f.BoolVar(&q.pending, "pending", false, "only what waits for a decision at the end of the log")
	f.BoolVar(&q.head, "head", false, "print the head of the chain, which stands for the whole log, and nothing else")
	jsonFlag(cmd, &q.asJSON, "print one JSON object a line, for each record")
	completeWith(cmd, "outcome", outcomes...)
	completeWith(cmd, "event", events()...)
}

func events() []string {
	var names []string
	for _, e := range audit.Events() {
		names = append(names, string(e))
	}
	return names
}

// check reads what the flags say.
func (q *auditQuery) check(flags *pflag.FlagSet) (err error) {
	if q.head {
		others := 0
		flags.Visit(func(f *pflag.Flag) {
			if f.Name != "state-dir" && f.Name != "runtime-dir" {
				others++
			}
		})
		if others > 1 {
			return exitf(exitUsage, "--head is of the whole log: no other flag goes with it")
		}
	}
	if len(q.events) > 0 && (!q.asJSON || q.pending) {
		return exitf(exitUsage, "--event goes with --json, and not with --pending: rows are of approvals, not of events")
	}
	if err := oneOf("--outcome", q.filter.Outcomes, outcomes); err != nil {
		return err
	}
	if err := oneOf("--event", q.events, events()); err != nil {
		return err
	}
	for _, e := range q.events {
		q.filter.Events = append(q.filter.Events, audit.Event(e))
	}
	now := time.Now()
	if q.filter.Since, err = parseWhen("--since", q.since, now); err != nil {
		return err
	}
	if q.filter.Until, err = parseWhen("--until", q.until, now); err != nil {
		return err
	}
	if q.filter.Path != "" {
		q.filter.Path, err = realPath(q.filter.Path)
	}
	return err
}

func oneOf(flag string, given, known []string) error {
	for _, name := range given {
		if !slices.Contains(known, name) {
			return exitf(exitUsage, "%s %s is not known: give one or more of %s", flag, name, strings.Join(known, ", "))
		}
	}
	return nil
}

// parseWhen reads a time of the command line; the zero time for none.
func parseWhen(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	if at, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return at, nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return now.AddDate(0, 0, -int(n)), nil
		}
	}
	return time.Time{}, exitf(exitUsage, "%s %s is no time: give RFC 3339 (2026-01-02T15:04:05Z), a date (2026-01-02), or how long ago (90m, 2h, 7d)", flag, text)
}

// realPath is a path as the log has it: absolute, and without links as far as
// it exists here.
func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("--path %s: %w", path, err)
	}
	for head, tail := abs, ""; ; {
		if target, err := filepath.EvalSymlinks(head); err == nil {
			return filepath.Join(target, tail), nil
		}
		if head == "/" {
			return abs, nil
		}
		head, tail = filepath.Dir(head), filepath.Join(filepath.Base(head), tail)
	}
}
