package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/wire"
)

func TestErrorsAreSentencesWithAnExitCode(t *testing.T) {
	settled := wire.NewError(wire.CodeApprovalAlreadyResolved, "It is settled.", func(d *wire.ErrorData) {
		d.ApprovalID = anApproval
		d.Resolution = &wire.ResolutionNotice{Outcome: wire.OutcomeAllowedSession, ResolvedBy: wire.ResolvedByUser}
	})
	tests := map[string]struct {
		err  error
		want string
		code int
	}{
		"anything":              {errors.New("the disk is full"), "the disk is full", exitFailure},
		"a command line":        {&usageError{"approvald list", errors.New("unknown flag: --x")}, "unknown flag: --x (see approvald list --help)", exitUsage},
		"modes":                 {fmt.Errorf("%w: a is above b", daemon.ErrModes), "the mode is above the ceiling: a is above b", exitUsage},
		"a state directory":     {fmt.Errorf("open: %w", &log.HeldError{Dir: "/s", Holder: log.Holder{PID: 7}}), "in use by process 7", exitHeld},
		"sockets":               {&daemon.SocketsHeldError{Dir: "/r", Holder: log.Holder{PID: 7}}, "the sockets in /r are those of process 7", exitHeld},
		"nobody":                {&noDaemonError{socket: "/r/host.sock"}, "no daemon is running at /r/host.sock: start one with `approvald serve`", exitNobody},
		"nobody on this socket": {&noDaemonError{socket: "/r/host.sock", holder: log.Holder{PID: 7}}, "although process 7", exitNobody},
		"a lost race":           {fmt.Errorf("decide: %w", settled), "approval " + anApproval + " was settled before: allowed for the session by a reviewer", exitSettled},
		"a role":                {wire.NewError(wire.CodeRoleForbidden, "No."), "No. Use a shell of your own.", exitFailure},
		"a protected write":     {wire.NewError(wire.CodeApprovalReviewerUnavailable, "Nobody."), "Nobody. Keep `approvald watch` open in a terminal, then decide.", exitFailure},
		"a busy daemon":         {wire.NewError(wire.CodeOverloaded, "Busy."), "Busy. Try again.", exitFailure},
		"a silent daemon":       {fmt.Errorf("x: %w", context.DeadlineExceeded), "the daemon does not answer", exitFailure},
		"exec's own failure":    {&exitError{exitExec, wire.NewError(wire.CodeOverloaded, "Busy.")}, "Busy. Try again.", exitExec},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, code := explain(tt.err)
			if !strings.Contains(got, tt.want) || code != tt.code {
				t.Errorf("explain = %q, %d, want %q, %d", got, code, tt.want, tt.code)
			}
		})
	}
}

func TestDaemonEndsWithTheErrorThatMatters(t *testing.T) {
	served, closed, failed := errors.New("no socket"), errors.New("no flush"), errors.New("no space")
	tests := map[string]struct {
		served, closed, failed error
		want                   string // "" for exit code 0
	}{
		"in order":            {nil, nil, nil, ""},
		"it could not serve":  {served, closed, nil, "no socket"},
		"it could not close":  {nil, closed, nil, "the daemon did not end cleanly: no flush"},
		"its log has failed":  {nil, nil, failed, "the log can no longer be written, so the daemon ended; start it again, and what was acknowledged is there: no space"},
		"the log goes before": {served, closed, failed, "no space"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := ending(tt.served, tt.closed, tt.failed)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.HasSuffix(err.Error(), tt.want)) {
				t.Errorf("ending = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestErrorsDoNotActOnTheTerminal(t *testing.T) {
	var out strings.Builder
	if code := tell(&out, errors.New("a peer says \x1b[2J\napprovald: all is well")); code != exitFailure {
		t.Errorf("exit code %d, want %d", code, exitFailure)
	}
	if want := "approvald: a peer says <U+001B>[2J\n    | approvald: all is well\n"; out.String() != want {
		t.Errorf("tell wrote %q, want %q", out.String(), want)
	}
}

func TestEveryOutcomeHasItsWords(t *testing.T) {
	seen := make(map[string]wire.Outcome)
	for _, o := range []wire.Outcome{
		wire.OutcomeAllowedOnce, wire.OutcomeAllowedSession, wire.OutcomeAllowedPersistent, wire.OutcomeRejected,
		wire.OutcomeCancelled, wire.OutcomeTimedOut, wire.OutcomeUnavailable, wire.OutcomeSuperseded, "ofTomorrow",
	} {
		text := card.OutcomeText(o, wire.ResolvedByPolicy)
		if other, ok := seen[text]; ok || text == "" {
			t.Errorf("%s and %s are both told as %q", o, other, text)
		}
		seen[text] = o
	}
}
