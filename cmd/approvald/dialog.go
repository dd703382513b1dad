package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

// dialog is the menu of exec: what it says and how it takes an answer. It has
// one question at a time, the latest that the daemon asked. It neither reads
// nor decides; its owner does both, from one goroutine.
type dialog struct {
	out io.Writer

	phase   phase
	current *wire.ApprovalRequest // the latest question, answered or not
	choice  wire.Choice           // in phase explaining: what was chosen
	// first is the number of the first choice. A question that takes the place
	// of an open one counts on from it and takes numbers only, so that an answer
	// that was on its way to the old question selects nothing in the new one.
	first   int
	renewed bool
	ours    bool // a decision of this terminal ended the approval
}

// phase is what a line that is read would be.
type phase int

const (
	silent     phase = iota // nobody asked: the line belongs to the command
	choosing                // a choice
	explaining              // the feedback to a choice
)

// open reports whether a line of input is waited for.
func (d *dialog) open() bool { return d.phase != silent }

// ask puts a question. One that is put already, as after a reconnection, stays.
func (d *dialog) ask(r *wire.ApprovalRequest) {
	if d.current != nil && d.current.CurrentRequirementID == r.CurrentRequirementID {
		return
	}
	d.renewed = d.open()
	if d.renewed {
		d.first += len(d.current.AvailableChoices)
		fmt.Fprintf(d.out, "\napprovald: this question takes the place of the one above:\n")
	} else {
		d.first = 1
		fmt.Fprintf(d.out, "approvald: may this run?\n")
	}
	d.current = r
	details(d.out, r, true)
	menu(d.out, r.AvailableChoices, d.first)
	d.prompt()
}

// prompt offers the choices of the current question (again).
func (d *dialog) prompt() {
	d.phase = choosing
	names := ", or by name"
	if d.renewed {
		names = ""
	}
	fmt.Fprintf(d.out, "approvald: choose by number%s: ", names)
}

// answer takes a line and returns the decision that it makes, nil for none yet.
func (d *dialog) answer(line string) *wire.ApprovalDecideParams {
	if d.phase == explaining {
		return d.decide(strings.TrimSpace(line))
	}
	choice, ok := d.pick(strings.TrimSpace(line))
	switch {
	case !ok:
		fmt.Fprintf(d.out, "approvald: that is none of the choices\n")
		d.prompt()
		return nil
	case choice.AcceptsFeedback:
		d.choice, d.phase = choice, explaining
		fmt.Fprintf(d.out, "approvald: why? It is told to the agent (Enter for nothing): ")
		return nil
	}
	d.choice = choice
	return d.decide("")
}

func (d *dialog) pick(answer string) (wire.Choice, bool) {
	n, err := strconv.Atoi(answer)
	for i, c := range d.current.AvailableChoices {
		if err == nil && n == d.first+i || !d.renewed && answer == string(c.ChoiceID) {
			return c, true
		}
	}
	return wire.Choice{}, false
}

func (d *dialog) decide(feedback string) *wire.ApprovalDecideParams {
	d.phase = silent
	p := &wire.ApprovalDecideParams{
		SessionID: d.current.SessionID, ApprovalID: d.current.ApprovalID,
		RequirementID: d.current.CurrentRequirementID, ChoiceID: d.choice.ChoiceID,
	}
	if feedback != "" {
		p.Feedback = &feedback
	}
	return p
}

// decided says what became of a decision. Where the approval went on without
// it, the next question, or the end, comes from the daemon.
func (d *dialog) decided(v verdict) {
	d.ours = d.ours || v.terminal
	if v.err == nil {
		return
	}
	sentence, _ := explain(v.err)
	fmt.Fprintf(d.out, "approvald: %s\n", visible(sentence))
	wentOn := wire.IsKind(v.err, wire.KindApprovalAlreadyResolved) || wire.IsKind(v.err, wire.KindApprovalRequirementStale)
	if !wentOn && !d.open() && d.current.CurrentRequirementID == v.requirement {
		d.prompt()
	}
}

// changed tells of a change that is no question.
func (d *dialog) changed(c wire.Change) {
	if d.open() {
		fmt.Fprintln(d.out)
	}
	fmt.Fprintf(d.out, "approvald: %s\n", changeText(c))
}

// settled tells how it ended where that was not decided here.
func (d *dialog) settled(r *wire.Resolution) {
	if d.ours {
		return
	}
	if d.open() {
		fmt.Fprintln(d.out)
	}
	d.phase = silent
	text := card.OutcomeText(r.Outcome, r.ResolvedBy)
	if r.ResolvedBy == wire.ResolvedByUser {
		text = strings.Replace(text, "a reviewer", "another reviewer", 1)
	}
	fmt.Fprintf(d.out, "approvald: %s\n", visible(text))
}
