package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/approvald/approvald/internal/audit"
	"github.com/approvald/approvald/wire"
)

// The table has a row for each approval and prompt: those that were settled in the order in
// which they were, then those that wait. A row is printed when it is read, so
// that columns have widths that do not depend on what comes; what is wider makes
// its row uneven.
var auditColumns = []struct {
	name  string
	width int
}{
	{"TIME", 24}, {"APPROVAL", idWidth}, {"SESSION", idWidth}, {"TOOL", 12}, {"OUTCOME", 17}, {"TAKEN", 8}, {"DECIDED BY", 28}, {"SUBJECT", 0},
}

// idWidth is how much of an id is shown: the time that it was minted.
const idWidth = 13

// table prints the rows. What became of a decision, and what waits, is known at
// the end of the log, which is therefore read twice.
func (q *auditQuery) table(r *reading, out, stderr io.Writer, p *progress) error {
	survey, broken := audit.NewSurvey(r.Reader, p.of("reading the log"))
	rows := auditRows{w: out}
	if !q.pending {
		f := q.filter
		f.Events = []audit.Event{audit.Settled, audit.InputSettled}
		err := audit.Lines(r.Reader, f, p.of("reading the log again"), func(l *audit.Line) error {
			if l.Event == audit.InputSettled {
				return rows.add(l, "") // there is nothing to take
			}
			return rows.add(l, survey.Fate(l.Opened))
		})
		if err != nil {
			return err // the survey ended at the same record
		}
	}
	if broken != nil {
		return broken
	}
	err := audit.Pending(r.Reader, survey, q.filter, func(l *audit.Line) error { return rows.add(l, "") })
	if err == nil && rows.n == 0 {
		fmt.Fprintln(stderr, "the log has nothing that fits")
	}
	return err
}

type auditRows struct {
	w io.Writer
	n int
}

func (t *auditRows) add(l *audit.Line, fate audit.Fate) error {
	if t.n == 0 {
		heads := make([]string, len(auditColumns))
		for i, c := range auditColumns {
			heads[i] = c.name
		}
		if err := t.row(heads); err != nil {
			return err
		}
	}
	t.n++
	outcome := l.Outcome
	if l.Event == audit.Opened || l.Event == audit.InputOpened {
		outcome = "pending"
	}
	subject := clip(visible(l.Subject), subjectWidth)
	if l.Shown != nil && l.Shown.ProtectedWrite {
		subject += "  [protected write]"
	}
	if l.Feedback != "" {
		subject += "  [feedback: " + clip(visible(l.Feedback), subjectWidth) + "]"
	}
	return t.row([]string{
		l.At, idPart(cmp.Or(l.ApprovalID, l.UserInputID)), idPart(l.SessionID), visible(l.ToolName), visible(outcome), takenText(fate), visible(deciderText(l)), subject,
	})
}

func (t *auditRows) row(cells []string) error {
	var b strings.Builder
	for i, c := range auditColumns {
		cell := cells[i]
		if cell == "" {
			cell = "-"
		}
		b.WriteString(cell)
		if c.width > 0 {
			b.WriteString(strings.Repeat(" ", max(0, c.width-utf8.RuneCountInString(cell))+2))
		}
	}
	_, err := io.WriteString(t.w, b.String()+"\n")
	return err
}

// idPart is the beginning of an id.
func idPart(id string) string { return id[:min(len(id), idWidth)] }

// takenText says whether the agent took the decision.
func takenText(f audit.Fate) string {
	switch f {
	case audit.FateConsumed:
		return "yes"
	case audit.FateVoided:
		return "voided"
	case audit.FateOpen:
		return "no"
	}
	return ""
}

// deciderText says who or what decided.
func deciderText(l *audit.Line) string {
	switch {
	case l.Rule != "":
		return l.Rule
	case l.Source == string(wire.SourceReviewer) && l.By != nil && l.By.Client != "":
		return l.Source + " " + l.By.Client
	}
	return l.Source
}
