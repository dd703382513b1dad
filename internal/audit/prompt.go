package audit

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/recovery"
	"github.com/approvald/approvald/wire"
)

// aboutPrompt reports whether lines of a kind say what a prompt is about.
func aboutPrompt(k record.Kind) bool {
	return k == record.KindInputOpened || k == record.KindInputEngaged || k == record.KindInputSettled
}

// prompt makes a line one about a prompt, by what the record says by itself.
func (l *Line) prompt(r record.Record) {
	l.ApprovalID, l.UserInputID = "", textOf(r.Approval)
	switch body := r.Body.(type) {
	case *record.InputOpened:
		l.Opened, l.By = r.Seq, party(body.By)
	case *record.InputEngaged:
		l.Opened, l.By = body.Opened, party(body.By)
	case *record.InputSettled:
		l.Opened, l.Outcome, l.Source, l.Why = body.Opened, body.Outcome, body.Source, body.Reason
		l.Answers, l.Clarification, l.By = body.Answers, body.Clarification, partyOf(body.By)
	}
}

// addQuestions adds what the record that opened the prompt says of it: to its own
// line all of it.
func (b *builder) addQuestions(l *Line, r record.Record) error {
	opened, ok := r.Body.(*record.InputOpened)
	if !ok {
		value, err := b.log.Get(l.Opened)
		if err != nil {
			return err
		}
		opening, err := record.Decode(l.Opened, value)
		if err != nil {
			return &recovery.RecordError{Seq: l.Opened, Err: err}
		}
		if opened, ok = opening.Body.(*record.InputOpened); !ok || opening.Seq > r.Seq || opening.Approval != r.Approval {
			return &recovery.RecordError{Seq: r.Seq, Kind: r.Kind, Err: fmt.Errorf(
				"record %d (%s) names record %d as the one that opened its prompt, which it is not", r.Seq, r.Kind, l.Opened)}
		}
	}
	l.ToolCallID, l.ToolName, l.Subject = opened.ToolCallID, opened.ToolName, questionsText(opened.Questions)
	if l.Event != InputOpened {
		return nil
	}
	l.Call, l.Questions = &Call{TurnID: opened.TurnID, ItemID: opened.ItemID}, opened.Questions
	if opened.ExpiresAt != nil {
		l.ExpiresAt = string(wire.FormatTime(time.UnixMilli(*opened.ExpiresAt)))
	}
	return nil
}

// questionsText is what was asked, as a text.
func questionsText(published json.RawMessage) string {
	var questions []wire.Question
	if json.Unmarshal(published, &questions) != nil {
		return ""
	}
	texts := make([]string, len(questions))
	for i, q := range questions {
		texts[i] = q.Question
	}
	return strings.Join(texts, " / ")
}
