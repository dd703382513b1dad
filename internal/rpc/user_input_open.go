package rpc

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

// The bounds on the questions of one prompt, which a person is to read.
const (
	maxQuestions     = 64
	maxOptions       = 128
	maxPreview       = 64 << 10
	maxQuestionBytes = 1 << 20 // of all of them, as they are published
)

// userInputOpen serves userInput/open (protocol §7).
func (r *request) userInputOpen() { r.command(r.openInputCommand()) }

func (r *request) openInputCommand() (c decide.OpenInput, e *wire.Error) {
	var p wire.UserInputOpenParams
	if e := r.decode(&p); e != nil {
		return c, e
	}
	c.ToolCall, c.ToolName, c.Turn, c.Questions = p.ToolCallID, p.ToolName, p.TurnID, p.Questions
	if c.Intent, e = r.intent(p.CommandID); e != nil {
		return c, e
	}
	if c.Session, e = r.session(p.SessionID); e != nil {
		return c, e
	}
	if ms := p.AutoResolutionMs; ms != nil {
		if *ms < 1 || *ms > math.MaxInt32 {
			return c, invalid("autoResolutionMs must be 1 to %d", math.MaxInt32)
		}
		c.AutoResolution = time.Duration(*ms) * time.Millisecond
	}
	return c, first(name("toolCallId", p.ToolCallID), name("toolName", p.ToolName), optionalName("turnId", p.TurnID), r.complete(), askable(p.Questions))
}

// complete checks that no question lacks what every reviewer is promised, though it
// may be empty.
func (r *request) complete() *wire.Error {
	var p struct {
		Questions []struct {
			Header  *string            `json:"header"`
			Options *[]json.RawMessage `json:"options"`
		} `json:"questions"`
	}
	if e := r.decode(&p); e != nil {
		return e
	}
	for i, q := range p.Questions {
		switch {
		case q.Header == nil:
			return invalid("questions[%d].header is missing; it may be empty", i)
		case q.Options == nil:
			return invalid("questions[%d].options is missing; it may be empty", i)
		}
	}
	return nil
}

// askable checks the questions of a prompt: that they can be shown, and that an
// answer can name them and their options.
func askable(questions []wire.Question) *wire.Error {
	if n := len(questions); n < 1 || n > maxQuestions {
		return invalid("questions must be 1 to %d, not %d", maxQuestions, n)
	}
	ids := make(map[string]bool, len(questions))
	for i, q := range questions {
		at := fmt.Sprintf("questions[%d]", i)
		if e := first(name(at+".id", q.ID), bounded(at+".header", q.Header, maxReason), text(at+".question", q.Question)); e != nil {
			return e
		}
		if ids[q.ID] {
			return invalid("%s.id is that of an earlier question", at)
		}
		ids[q.ID] = true
		if e := first(selectable(at, q.Options), selection(at, q)); e != nil {
			return e
		}
	}
	body, err := wire.Marshal(questions)
	if err != nil {
		return invalid("questions cannot be published")
	}
	return bounded("questions", string(body), maxQuestionBytes)
}

// text checks a text that must not be empty.
func text(member, value string) *wire.Error {
	if value == "" {
		return invalid("%s must not be empty", member)
	}
	return bounded(member, value, maxReason)
}

// selectable checks the options of a question.
func selectable(at string, options []wire.QuestionOption) *wire.Error {
	if n := len(options); n > maxOptions {
		return invalid("%s.options must be at most %d, not %d", at, maxOptions, n)
	}
	labels := make(map[string]bool, len(options))
	for i, o := range options {
		member := fmt.Sprintf("%s.options[%d]", at, i)
		if e := first(text(member+".label", o.Label), bounded(member+".description", o.Description, maxReason)); e != nil {
			return e
		}
		if labels[o.Label] {
			return invalid("%s.label is that of an earlier option", member)
		}
		labels[o.Label] = true
		if o.Preview == nil {
			continue
		}
		if e := first(name(member+".preview.format", o.Preview.Format), bounded(member+".preview.content", o.Preview.Content, maxPreview)); e != nil {
			return e
		}
	}
	return nil
}

// selection checks how many options an answer may select.
func selection(at string, q wire.Question) *wire.Error {
	member := at + ".selection"
	s := q.Selection
	switch s.Mode {
	case wire.SelectMultiple:
	case wire.SelectSingle:
		if s.MinSelections != nil || s.MaxSelections != nil {
			return invalid("%s: a single selection takes neither minSelections nor maxSelections", member)
		}
		return nil
	default:
		return invalid("%s.mode must be single or multiple", member)
	}
	switch least, most := decide.SelectionBounds(q); {
	case s.MinSelections != nil && (least < 0 || least > len(q.Options)):
		return invalid("%s.minSelections must be 0 to the number of options", member)
	case s.MaxSelections != nil && (most < 1 || most > len(q.Options)):
		return invalid("%s.maxSelections must be 1 to the number of options", member)
	case len(q.Options) > 0 && least > most:
		return invalid("%s.minSelections must be at most maxSelections", member)
	}
	return nil
}
