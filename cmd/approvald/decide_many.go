package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// What became of one of several decisions, and, of a dry run, what would.
const (
	resultDecided       = "decided"
	resultWould         = "would be decided"
	resultNotOffered    = "not offered"
	resultSettledBefore = "settled before"
	resultFailed        = "not decided"
)

// result is a line of decide for several approvals.
type result struct {
	Input      string        `json:"input,omitzero"` // the id as it was given
	ApprovalID string        `json:"approvalId,omitzero"`
	SessionID  string        `json:"sessionId,omitzero"`
	ChoiceID   wire.ChoiceID `json:"choiceId"`
	Result     string        `json:"result"`
	Terminal   bool          `json:"terminal,omitzero"`
	CommandID  string        `json:"commandId,omitzero"`
	Error      string        `json:"error,omitzero"`

	asked *wire.ApprovalRequest // nil where it was not found
	code  int
}

// several decides what the ids name, or what waits and is meant, each as it was read
// before the first was decided.
func (d *decision) several(cmd *cobra.Command, c *client.Client, ids []string, choice wire.ChoiceID) error {
	ctx := cmd.Context()
	var rows []result
	if d.all {
		now := time.Now()
		for r, err := range pendingOf(ctx, c, "") {
			if err != nil {
				return err
			}
			if d.only.approval(&r, now) {
				rows = append(rows, d.preflight(r, choice))
			}
		}
		if len(rows) == 0 {
			fmt.Fprintln(cmd.ErrOrStderr(), d.only.nothing())
			return nil
		}
	} else {
		if len(ids) == 0 {
			fmt.Fprintln(cmd.ErrOrStderr(), nothingOnInput)
			return nil
		}
		finder := newFinder(c, d.session)
		named := make(map[string]bool)
		for _, id := range ids {
			row := d.named(ctx, finder, id, choice)
			if row.ApprovalID != "" && named[row.ApprovalID] {
				continue // one decision, however often it is named
			}
			named[row.ApprovalID] = true
			rows = append(rows, row)
		}
	}
	for i := range rows {
		if !d.dryRun && rows[i].Result == resultWould {
			d.carryOut(ctx, c, &rows[i])
		}
		if d.asJSON {
			if err := printJSON(cmd.OutOrStdout(), rows[i]); err != nil {
				return err
			}
		}
	}
	if !d.asJSON {
		if err := resultTable(cmd.OutOrStdout(), rows, time.Now()); err != nil {
			return err
		}
	}
	return tally(rows, d.dryRun)
}

// named is the row of an id that was given.
func (d *decision) named(ctx context.Context, finder *finder, id string, choice wire.ChoiceID) result {
	r := result{Input: id, ChoiceID: choice, Result: resultFailed}
	ref, err := finder.find(ctx, id)
	if err == nil && ref.prompt != "" {
		err = exitf(exitFailure, "%s is a prompt and takes answers, not a decision", ref.prompt)
	}
	var read wire.ApprovalReadResult
	if err == nil {
		read, err = finder.c.ReadApproval(ctx, wire.ApprovalReadParams{SessionID: ref.session, ApprovalID: ref.approval})
	}
	if err != nil {
		r.Error, r.code = explain(err)
		return r
	}
	if read.Resolution != nil {
		r.ApprovalID, r.SessionID, r.asked = ref.approval, ref.session, &read.Request
		r.Result, r.code = resultSettledBefore, exitSettled
		return r
	}
	r = d.preflight(read.Request, choice)
	r.Input = id
	return r
}

// preflight says whether a decision is possible as things stand.
func (d *decision) preflight(asked wire.ApprovalRequest, choice wire.ChoiceID) result {
	r := result{ApprovalID: asked.ApprovalID, SessionID: asked.SessionID, ChoiceID: choice, Result: resultWould, asked: &asked}
	at := slices.IndexFunc(asked.AvailableChoices, func(c wire.Choice) bool { return c.ChoiceID == choice })
	switch {
	case at < 0:
		r.Result, r.code, r.Error = resultNotOffered, exitFailure, "it offers "+choiceIDs(asked.AvailableChoices)
	case d.feedback != "" && !asked.AvailableChoices[at].AcceptsFeedback:
		r.Result, r.code, r.Error = resultFailed, exitFailure, "the choice takes no feedback"
	}
	return r
}

// carryOut decides what a row is about: the requirement that was read.
func (d *decision) carryOut(ctx context.Context, c *client.Client, r *result) {
	p := wire.ApprovalDecideParams{
		CommandID: client.NewCommandID(), SessionID: r.SessionID, ApprovalID: r.ApprovalID,
		RequirementID: r.asked.CurrentRequirementID, ChoiceID: r.ChoiceID,
	}
	if d.feedback != "" {
		p.Feedback = &d.feedback
	}
	r.CommandID = p.CommandID
	ack, err := c.Decide(ctx, p)
	switch {
	case err == nil:
		r.Result, r.Terminal = resultDecided, ack.Terminal
	case wire.IsKind(err, wire.KindApprovalAlreadyResolved):
		r.Result = resultSettledBefore
		r.Error, r.code = explain(err)
	default:
		r.Result = resultFailed
		r.Error, r.code = explain(err)
	}
}

func resultTable(w io.Writer, rows []result, now time.Time) error {
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ApprovalID
	}
	n := shortest(ids)
	table := newTable(w, "ID", "AGE", "TOOL", "SUBJECT", "RESULT")
	for _, r := range rows {
		said := r.Result
		switch {
		case r.Result == resultDecided && !r.Terminal:
			said += ", the next stage waits"
		case r.Result == resultWould:
			said = "would be decided: " + visible(string(r.ChoiceID))
		case r.Error != "":
			said += ": " + visible(r.Error)
		}
		if r.asked == nil {
			table.row(visible(r.Input), "", "", "", said)
			continue
		}
		table.row(beginning(r.ApprovalID, n), age(r.asked.CreatedAt, now), visible(r.asked.ToolName),
			clip(subjectLine(r.asked.Subject), subjectWidth)+marks(r.asked), said)
	}
	return table.end()
}

// tally is the error of several decisions, nil where each was made, or would be. The
// exit code is that of a race that was lost only where nothing worse happened.
func tally(rows []result, dry bool) error {
	var settled, failed int
	for _, r := range rows {
		switch {
		case r.code == exitSettled:
			settled++
		case r.code != 0:
			failed++
		}
	}
	done := "decided"
	if dry {
		done = "would be decided"
	}
	switch {
	case failed > 0:
		return exitf(exitFailure, "of %d approvals %d %s, %d had been settled before, %d could not be decided",
			len(rows), len(rows)-settled-failed, done, settled, failed)
	case settled > 0:
		return exitf(exitSettled, "of %d approvals %d %s, %d had been settled before", len(rows), len(rows)-settled, done, settled)
	}
	return nil
}

// errWhich is the fault of --all without anything that says which.
var errWhich = errors.New("--all takes all that a filter leaves: name at least one of --session, --tool, --kind, --match, --sub-agents, --older-than")
