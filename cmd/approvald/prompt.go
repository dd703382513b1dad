package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

// answerElsewhere is what can be done about a pending prompt.
const answerElsewhere = "answer it in approvald inbox"

// promptLine is the questions of a prompt in one line.
func promptLine(questions []wire.Question) string {
	texts := make([]string, len(questions))
	for i, q := range questions {
		texts[i] = visible(q.Question)
		if labels := optionLabels(q); labels != "" {
			texts[i] += " (" + labels + ")"
		}
	}
	return "asks: " + strings.Join(texts, " / ")
}

func optionLabels(q wire.Question) string {
	labels := make([]string, len(q.Options))
	for i, o := range q.Options {
		labels[i] = visible(o.Label)
	}
	return strings.Join(labels, ", ")
}

// promptMarks are marks of a prompt.
func promptMarks(r *wire.UserInputRequest) string {
	return marks(&wire.ApprovalRequest{SubagentOrigin: r.SubagentOrigin})
}

// prompted is one prompt, and how it ended, for show --json.
type prompted struct {
	Request    wire.UserInputRequest       `json:"request"`
	Settlement *wire.UserInputSettledEvent `json:"settlement,omitzero"`
}

// readPrompt puts a prompt together from the events of its session, because the
// protocol has no method that reads one; of one that waits the pending list says
// whether its deadline still counts.
func readPrompt(ctx context.Context, c *client.Client, ref approvalRef) (p prompted, err error) {
	for e, err := range eventsOf(ctx, c, ref.session) {
		if err != nil {
			return p, err
		}
		var about struct {
			UserInputID string `json:"userInputId"`
		}
		if json.Unmarshal(e.Params, &about) != nil || about.UserInputID != ref.prompt {
			continue
		}
		switch e.Method {
		case wire.MethodUserInputRequested:
			err = json.Unmarshal(e.Params, &p.Request)
		case wire.MethodUserInputSettled:
			p.Settlement = new(wire.UserInputSettledEvent)
			err = json.Unmarshal(e.Params, p.Settlement)
		}
		if err != nil {
			return p, fmt.Errorf("read an event of session %s: %w", ref.session, err)
		}
	}
	if p.Settlement != nil {
		return p, nil
	}
	for w, err := range waitingOf(ctx, c, ref.session) {
		if err != nil {
			return p, err
		}
		if w.prompt != nil && w.prompt.UserInputID == ref.prompt {
			p.Request = *w.prompt
		}
	}
	return p, nil
}

func showPrompt(w io.Writer, p prompted) {
	r := &p.Request
	field(w, "prompt", r.UserInputID)
	field(w, "session", r.SessionID)
	field(w, "tool", fmt.Sprintf("%s (call %s)", r.ToolName, r.ToolCallID))
	for _, q := range r.Questions {
		text(w, "question", q.Question)
		for _, o := range q.Options {
			field(w, "option", listed(o.Label, o.Description))
		}
	}
	field(w, "child", card.ChildText(r.SubagentOrigin))
	field(w, "opened", string(r.CreatedAt))
	if p.Settlement == nil {
		if r.ExpiresAt != nil {
			field(w, "expires", string(*r.ExpiresAt))
		}
		field(w, "pending", answerElsewhere)
		return
	}
	s := p.Settlement
	field(w, "settled", card.PromptOutcomeByText(s.Outcome, card.Person(s.DecidedBy))+settledAt(s))
	for _, a := range s.Answers {
		text(w, "answer", answerText(r.Questions, a))
	}
	if s.Clarification != nil {
		text(w, "says", s.Clarification.Content)
	}
	if s.Reason != nil {
		text(w, "reason", *s.Reason)
	}
}

func settledAt(s *wire.UserInputSettledEvent) string {
	if s.DecidedAt == nil {
		return ""
	}
	return ", at " + string(*s.DecidedAt)
}

// answerText is an answer behind its question.
func answerText(questions []wire.Question, a wire.Answer) string {
	said := card.AnswerText(a)
	for _, q := range questions {
		if q.ID == a.QuestionID {
			return q.Question + " " + said
		}
	}
	return said
}
