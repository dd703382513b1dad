package audit

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/approvald/approvald/internal/record"
)

// Filter says which lines are wanted: those that fulfil every condition. The
// zero Filter has none.
type Filter struct {
	Session  string // the session's id, or its beginning
	Approval string // the approval's, or the prompt's
	Events   []Event
	Tools    []string  // one of these names
	Outcomes []string  // settled, and one of these
	Since    time.Time // at it or later
	Until    time.Time // before it
	Path     string    // this path or one below it, component by component
	Text     string    // in subject, reason, justification, why, feedback, answers, clarification or input, in whatever case
}

// Match reports whether a line is wanted.
func (f Filter) Match(l *Line) bool {
	return strings.HasPrefix(l.SessionID, f.Session) && strings.HasPrefix(cmp.Or(l.ApprovalID, l.UserInputID), f.Approval) &&
		f.own(l) &&
		(len(f.Tools) == 0 || slices.Contains(f.Tools, l.ToolName)) &&
		f.inTime(l.at) &&
		(f.Path == "" || below(l.Path, f.Path)) &&
		(f.Text == "" || f.inText(l))
}

// own is the part of Match that needs no other record than the line's own.
func (f Filter) own(l *Line) bool {
	return (len(f.Events) == 0 || slices.Contains(f.Events, l.Event)) &&
		(len(f.Outcomes) == 0 || slices.Contains(f.Outcomes, l.Outcome))
}

// mayMatch reports whether the line of a record with this header may be wanted,
// which saves decoding the others.
func (f Filter) mayMatch(h record.Header) bool {
	events := eventsOf[h.Kind]
	switch {
	case len(f.Events) > 0 && !slices.ContainsFunc(events, func(e Event) bool { return slices.Contains(f.Events, e) }),
		len(f.Outcomes) > 0 && h.Kind != record.KindApprovalSettled && h.Kind != record.KindInputSettled,
		len(f.Tools) > 0 && !aboutApproval(h.Kind) && !aboutPrompt(h.Kind), f.Path != "" && !aboutApproval(h.Kind),
		!f.inTime(h.At),
		f.Session != "" && !strings.HasPrefix(textOf(h.Session), f.Session),
		f.Approval != "" && !strings.HasPrefix(textOf(h.Approval), f.Approval):
		return false
	}
	return true
}

func (f Filter) inTime(at time.Time) bool {
	return (f.Since.IsZero() || !at.Before(f.Since)) && (f.Until.IsZero() || at.Before(f.Until))
}

func (f Filter) inText(l *Line) bool {
	text := strings.ToLower(f.Text)
	return slices.ContainsFunc([]string{l.Subject, l.Reason, l.Justification, l.Why, l.Feedback, string(l.Answers), string(l.Clarification), string(l.Input)}, func(s string) bool {
		return strings.Contains(strings.ToLower(s), text)
	})
}

// below reports whether a path is another one or below it.
func below(path, top string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimRight(top, "/"))
	return ok && path != "" && (rest == "" || rest[0] == '/')
}
