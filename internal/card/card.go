package card

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/approvald/approvald/wire"
)

// Card is an approval as a person is shown it.
type Card struct {
	SessionID, ApprovalID string
	// Requirement is what a decision on this card is about. Where it moves on, the
	// card is another one.
	Requirement wire.RequirementID
	Pending     bool

	Title     string // what kind of thing is asked for: "Run a command"
	Headline  Text   // the thing itself in one line
	Kind      wire.SubjectKind
	Protected bool // a protected write, which is never remembered
	Tool      Text
	Asker     Asker
	Opened    time.Time // zero where it is not known
	Expires   time.Time // zero for never

	// Warnings are what must not be missed, most important first.
	Warnings []Warning
	Subject  []Item
	Reason   []Line // why the call is made, in the words of the agent's host
	// Justification is what the model says for itself; nil where it says nothing. It
	// is a claim of the one who is asked about, and is to be marked as such.
	Justification []Line
	// Arguments are the call as the model gave it: the subject is what the agent
	// makes of it (protocol §7).
	Arguments Item
	Operation *Item
	Needs     string // the preset that would cover it; "" where none is known
	Policy    Text   // why it is asked about

	Choices []Choice // none where nothing is to be decided
	Settled *Settled // nil while it waits
}

// Asker is who asks.
type Asker struct {
	SessionID string
	// Path leads from the root to a child session that asks; nil for a root.
	Path []string
	Call Text // the id of the call
	Turn string
}

// Warning is one thing that must not be missed. Detail may be empty.
type Warning struct {
	Text   string
	Detail Text
}

// Form says how the value of an item is to be set.
type Form string

// The forms. A surface that knows no better sets the lines of each.
const (
	FormText   Form = "text"   // words
	FormCode   Form = "code"   // to be read character by character
	FormDiff   Form = "diff"   // its lines have marks
	FormJSON   Form = "json"   // pretty-printed, its lines are indented
	FormStages Form = "stages" // has stages and no lines
)

// Item is a named part of a card.
type Item struct {
	Name   string // a short label: "command", "in"
	Form   Form
	Lines  []Line
	Stages []Stage
	// Value is the whole value as it came: hidden characters are hidden in it.
	Value string
	// Omitted is how many bytes of the value Lines do not show.
	Omitted int
}

// Line is one line of a value.
type Line struct {
	Mark   Mark
	Indent int
	Text   Text
	Fold   *Fold // more of the line, too long to be set in it
}

// Mark is what a line of a diff is.
type Mark string

// The marks of lines.
const (
	Plain   Mark = ""
	Added   Mark = "added"
	Removed Mark = "removed"
	Hunk    Mark = "hunk"
	Header  Mark = "header"
)

// Fold is a large value behind its line.
type Fold struct {
	Size    string // "12,345 characters, 40 lines"
	Lines   []Text
	Omitted int // bytes that Lines do not show
}

// Choice is one row of the menu.
type Choice struct {
	ID          wire.ChoiceID
	Label       Text
	Scope       wire.Scope
	Allows      bool
	TakesReason bool   // the agent can be told why
	Preview     []Text // the rule that it leaves behind, verbatim
}

// Read is the card of an approval that was read.
func Read(r *wire.ApprovalReadResult) *Card {
	c := New(&r.Request, r.Resolution)
	if r.Resolution != nil {
		c.Settled = SettledBy(r.Resolution, &r.Request, r.DecidedBy)
	}
	return c
}

// New is the card of a request. resolution is what became of it, nil while it waits.
func New(r *wire.ApprovalRequest, resolution *wire.Resolution) *Card {
	pending := resolution == nil && len(r.AvailableChoices) > 0
	kind, _ := wire.KindOf(r.Subject) // "" where it has none, which is shown as it is
	headline, _ := SubjectLine(r.Subject)
	c := &Card{
		SessionID: r.SessionID, ApprovalID: r.ApprovalID, Requirement: r.CurrentRequirementID, Pending: pending,
		Title: title(r.Subject), Headline: Of(headline), Kind: wire.SubjectKind(kind), Protected: r.ProtectedWrite, Tool: Of(r.ToolName),
		Asker:   askerOf(r.SessionID, r.ToolCallID, r.TurnID, r.SubagentOrigin),
		Opened:  timeOf(&r.CreatedAt),
		Expires: timeOf(r.ExpiresAt),

		Subject:   SubjectItems(r, pending),
		Reason:    plainLines(r.Reason),
		Arguments: jsonItem("arguments", r.RawArgs),
		Needs:     NeededPreset(r.PermissionMode),
		Policy:    Of(PolicyText(r.Policy)),
	}
	if r.Justification != "" && r.Justification != r.Policy.Explanation { // which it is where the agent gave none
		c.Justification = plainLines(r.Justification)
	}
	if r.Operation != nil {
		operation := jsonItem("operation", string(r.Operation))
		c.Operation = &operation
	}
	c.Warnings = warnings(r, pending)
	if pending {
		c.Choices = Choices(r.AvailableChoices)
	}
	if resolution != nil {
		c.Settled = SettledBy(resolution, r, nil)
	}
	return c
}

// Choices is a menu as it is shown.
func Choices(menu []wire.Choice) []Choice {
	choices := make([]Choice, len(menu))
	for i, c := range menu {
		choices[i] = Choice{
			ID: c.ChoiceID, Label: Of(c.Label), Scope: c.Scope, TakesReason: c.AcceptsFeedback,
			Allows: c.Decision != wire.DecisionAbort && c.Decision != wire.DecisionDenied,
		}
		for line := range strings.Lines(c.RulePreview) {
			if line = strings.TrimSuffix(line, "\n"); line != "" {
				choices[i].Preview = append(choices[i].Preview, Of(line))
			}
		}
	}
	return choices
}

// NeededPreset says what preset would allow an action; "" for none known.
func NeededPreset(p wire.Preset) string {
	switch p {
	case "":
		return ""
	case wire.PresetReadOnly, wire.PresetWorkspaceWrite, wire.PresetDangerFullAccess:
		return "the preset " + string(p) + " would cover it"
	}
	return "the preset " + Visible(string(p)) + " would cover it"
}

// PolicyText says what decided, naming the rule where the explanation does not. It is
// not visible yet.
func PolicyText(p wire.PolicyAnswer) string {
	if p.Rule != "" && !strings.Contains(strings.ToLower(p.Explanation), strings.ToLower(p.Rule)) {
		return fmt.Sprintf("%s (%s %s)", p.Explanation, p.Source, p.Rule)
	}
	return fmt.Sprintf("%s (%s)", p.Explanation, p.Source)
}

// ChildText says which child session asks, by its way from the root; "" for a
// session of its own. It is not visible yet.
func ChildText(o *wire.SubagentOrigin) string {
	if o == nil {
		return ""
	}
	return strings.Join(o.Path, " > ")
}

func askerOf(session, call, turn string, o *wire.SubagentOrigin) Asker {
	a := Asker{SessionID: session, Call: Of(call), Turn: turn}
	if o != nil {
		a.Path = o.Path
	}
	return a
}

// timeOf is the zero time for what is none.
func timeOf(t *wire.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	at, err := t.Parse()
	if err != nil {
		return time.Time{}
	}
	return at
}

// plainLines are the lines of a text, as they are.
func plainLines(s string) []Line {
	var lines []Line
	for line := range strings.SplitSeq(s, "\n") {
		lines = append(lines, Line{Text: Of(line)})
	}
	return lines
}

// escapedIn reports whether a text has something that would not be seen, other than
// the ends of its lines.
func escapedIn(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && hidden(r) })
}

// title says in our own words what kind of thing is asked for.
func title(subject json.RawMessage) string {
	decoded, err := wire.DecodeSubject(subject)
	if err != nil {
		return "Do something that approvald does not know"
	}
	switch s := decoded.(type) {
	case *wire.ShellSubject:
		return "Run a command"
	case *wire.FileSubject:
		switch {
		case s.Access == wire.AccessRead:
			return "Read a file"
		case s.Exists:
			return "Change a file"
		}
		return "Create a file"
	case *wire.NetworkSubject:
		return "Connect to a host"
	case *wire.ProcessSubject:
		return "Act on a process"
	case *wire.ToolSubject:
		return "Call a tool"
	}
	return "Do something that approvald does not know"
}
