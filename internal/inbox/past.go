package inbox

import (
	"strings"
	"time"

	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

// filter says which of the past is shown.
type filter int

const (
	all filter = iota
	byPeople
	byPolicy
	refused
	filters // how many there are
)

var filterNames = [...]string{"all", "by people", "by policy", "refused"}

// matches reports whether an entry passes the filter and has every word of the search.
func (m *Model) matches(e *Entry) bool {
	r := e.Resolution
	switch {
	case m.filter == byPeople && r != nil && r.ResolvedBy != wire.ResolvedByUser,
		m.filter == byPolicy && (r == nil || r.ResolvedBy != wire.ResolvedByPolicy),
		m.filter == refused && (r == nil || r.PolicyResult == wire.PolicyAllow):
		return false
	}
	if m.search == "" {
		return true
	}
	text := strings.ToLower(strings.Join([]string{e.tool(), e.headline(), e.words(), e.session()}, " "))
	for word := range strings.FieldsSeq(strings.ToLower(m.search)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// entry is the one that is selected, nil for none.
func (m *Model) entry() *Entry {
	if m.past.at < len(m.past.items) && m.matches(&m.past.items[m.past.at]) {
		return &m.past.items[m.past.at]
	}
	return nil
}

// stepPast is the place of the next entry that is shown, in a direction.
func (m *Model) stepPast(by int) int {
	for i := m.past.at + by; i >= 0 && i < len(m.past.items); i += by {
		if m.matches(&m.past.items[i]) {
			return i
		}
	}
	return m.past.at
}

func (m *Model) firstPast() int {
	for i := range m.past.items {
		if m.matches(&m.past.items[i]) {
			return i
		}
	}
	return 0
}

func (e *Entry) tool() string {
	if e.Prompt != nil {
		return card.Visible(e.Prompt.ToolName)
	}
	return card.Visible(e.Approval.ToolName)
}

func (e *Entry) id() string {
	if e.Prompt != nil {
		return e.Prompt.UserInputID
	}
	return e.Approval.ApprovalID
}

func (e *Entry) session() string {
	if e.Prompt != nil {
		return e.Prompt.SessionID
	}
	return e.Approval.SessionID
}

func (e *Entry) headline() string {
	if e.Prompt != nil {
		return card.NewPrompt(e.Prompt, nil).Headline.String()
	}
	text, _ := card.SubjectLine(e.Approval.Subject)
	return card.Visible(text)
}

// words say how it ended.
func (e *Entry) words() string {
	if e.Prompt != nil {
		return card.PromptOutcomeByText(e.Settlement.Outcome, card.Person(e.Settlement.DecidedBy))
	}
	return card.OutcomeByText(e.Resolution.Outcome, e.Resolution.ResolvedBy, card.Person(e.By))
}

// fine reports whether it was allowed, or answered.
func (e *Entry) fine() bool {
	if e.Prompt != nil {
		return e.Settlement.Outcome == wire.UserInputAnswered
	}
	return e.Resolution.PolicyResult == wire.PolicyAllow
}

// At is when it was decided, zero where that is not known.
func (e *Entry) At() time.Time {
	var t wire.Time
	switch {
	case e.Resolution != nil:
		t = e.Resolution.DecidedAt
	case e.Settlement != nil && e.Settlement.DecidedAt != nil:
		t = *e.Settlement.DecidedAt
	}
	at, err := t.Parse()
	if err != nil {
		return time.Time{}
	}
	return at
}

// Ended is the entry of an approval that was settled.
func Ended(asked *wire.ApprovalRequest, p *wire.ApprovalResolved) Entry {
	return Entry{Approval: asked, By: p.DecidedBy, Resolution: &wire.Resolution{
		ApprovalID: p.ApprovalID, ToolCallID: p.ToolCallID, Outcome: p.Outcome, Decision: p.Decision,
		PolicyResult: p.PolicyResult, ResolvedBy: p.ResolvedBy, Source: p.Source, DecidedAt: p.DecidedAt,
		SuccessorApprovalID: p.SuccessorApprovalID,
	}}
}

// Text is the entry in a line: when, by which tool, what, and how it ended.
func (e *Entry) Text() string {
	at := "?"
	if !e.At().IsZero() {
		at = e.At().UTC().Format("2006-01-02 15:04:05Z")
	}
	return strings.Join([]string{at, e.tool(), e.words(), clipped(e.headline(), 200)}, "  ")
}
