package card

import (
	"fmt"
	"strings"
	"time"

	"github.com/approvald/approvald/wire"
)

// Prompt is a set of questions as a person is shown it.
type Prompt struct {
	SessionID, PromptID string
	Headline            Text // the questions in one line
	Tool                Text
	Asker               Asker
	Opened              time.Time
	Expires             time.Time // zero for never; engaging with the prompt ends it
	Questions           []Question
	Settled             *PromptSettled // nil while it waits
}

// Question is one question of a prompt.
type Question struct {
	ID      string
	Header  Text // a word or two; may be empty
	Text    []Line
	Options []Option
	// Multiple says that several options may be selected, from Least to Most of them.
	Multiple    bool
	Least, Most int
	// Hint says what an answer has to be.
	Hint string
}

// Option is selected by its label.
type Option struct {
	Value         string // the label as it came, which is what an answer names
	Label         Text
	Description   Text
	Preview       []Text
	PreviewFormat Text
}

// PromptSettled is what became of a prompt.
type PromptSettled struct {
	Outcome wire.UserInputOutcome
	Words   string
	At      time.Time // zero where nobody decided
	Answers []Answered
	Says    []Line // instead of an answer
	Reason  Text
}

// Answered is an answer beside its question.
type Answered struct {
	Question Text
	Answer   []Line
}

// MostAnswer is how many characters an answer of one's own words, and a note, may have.
const MostAnswer = 500

// NewPrompt is the card of a prompt. settled is what became of it, nil while it waits.
func NewPrompt(r *wire.UserInputRequest, settled *wire.UserInputSettledEvent) *Prompt {
	p := &Prompt{
		SessionID: r.SessionID, PromptID: r.UserInputID, Tool: Of(r.ToolName),
		Headline: Of(questionsLine(r.Questions)),
		Asker:    askerOf(r.SessionID, r.ToolCallID, r.TurnID, r.SubagentOrigin),
		Opened:   timeOf(&r.CreatedAt), Expires: timeOf(r.ExpiresAt),
	}
	for _, q := range r.Questions {
		p.Questions = append(p.Questions, questionOf(q))
	}
	if settled != nil {
		p.Settled = promptSettled(settled, r.Questions)
	}
	return p
}

func questionsLine(questions []wire.Question) string {
	texts := make([]string, len(questions))
	for i, q := range questions {
		texts[i] = q.Question
	}
	return strings.Join(texts, " / ")
}

func questionOf(q wire.Question) Question {
	out := Question{
		ID: q.ID, Header: Of(q.Header), Text: plainLines(q.Question),
		Multiple: q.Selection.Mode == wire.SelectMultiple, Least: 1, Most: len(q.Options),
	}
	for _, o := range q.Options {
		option := Option{Value: o.Label, Label: Of(o.Label), Description: Of(o.Description)}
		if o.Preview != nil {
			option.PreviewFormat = Of(o.Preview.Format)
			for line := range strings.SplitSeq(o.Preview.Content, "\n") {
				option.Preview = append(option.Preview, Of(line))
			}
		}
		out.Options = append(out.Options, option)
	}
	if n := q.Selection.MinSelections; n != nil {
		out.Least = *n
	}
	if n := q.Selection.MaxSelections; n != nil {
		out.Most = *n
	}
	out.Hint = hint(out)
	return out
}

func hint(q Question) string {
	switch {
	case len(q.Options) == 0:
		return fmt.Sprintf("in your own words, at most %d characters", MostAnswer)
	case !q.Multiple:
		return "choose one, or answer in your own words"
	case q.Least == q.Most:
		return fmt.Sprintf("choose %d, or answer in your own words", q.Least)
	case q.Most >= len(q.Options) && q.Least <= 1:
		return "choose one or more, or answer in your own words"
	}
	return fmt.Sprintf("choose %d to %d, or answer in your own words", q.Least, q.Most)
}

func promptSettled(s *wire.UserInputSettledEvent, questions []wire.Question) *PromptSettled {
	out := &PromptSettled{Outcome: s.Outcome, Words: PromptOutcomeByText(s.Outcome, Person(s.DecidedBy)), At: timeOf(s.DecidedAt)}
	asked := make(map[string]string, len(questions))
	for _, q := range questions {
		asked[q.ID] = q.Question
	}
	for _, a := range s.Answers {
		out.Answers = append(out.Answers, Answered{Of(asked[a.QuestionID]), plainLines(AnswerText(a))})
	}
	if s.Clarification != nil {
		out.Says = plainLines(s.Clarification.Content)
	}
	if s.Reason != nil {
		out.Reason = Of(*s.Reason)
	}
	return out
}

// PromptOutcomeText says in a few words what became of a prompt.
func PromptOutcomeText(o wire.UserInputOutcome) string {
	switch o {
	case wire.UserInputAnswered:
		return "answered"
	case wire.UserInputCancelled:
		return "cancelled"
	case wire.UserInputInterrupted:
		return "stopped, with the turn"
	case wire.UserInputClarified:
		return "replied to, without an answer"
	case wire.UserInputTimedOut:
		return "timed out"
	case wire.UserInputAborted:
		return "aborted"
	}
	return Visible(string(o))
}

// AnswerText is what an answer says. It is not visible yet.
func AnswerText(a wire.Answer) string {
	said := strings.Join(a.SelectedLabels, ", ")
	switch {
	case a.SelectedLabel != nil:
		said = *a.SelectedLabel
	case a.FreeText != nil:
		said = *a.FreeText
	}
	if a.Note != nil {
		said += " (" + *a.Note + ")"
	}
	return said
}
