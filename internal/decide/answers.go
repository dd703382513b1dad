package decide

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/approvald/approvald/wire"
)

// maxAnswer is how many characters a free text or a note may have.
const maxAnswer = 500

// misfit says why answers do not fit the questions; "" where they do: there is one
// answer a question (partial: at most one), in any order, and each is one that its
// question takes.
func misfit(questions []wire.Question, answers []wire.Answer, partial bool) string {
	answered := make(map[string]bool, len(answers))
	for i, a := range answers {
		at := slices.IndexFunc(questions, func(q wire.Question) bool { return q.ID == a.QuestionID })
		switch {
		case at < 0:
			return fmt.Sprintf("answers[%d]: questionId names no question of the prompt.", i)
		case answered[a.QuestionID]:
			return fmt.Sprintf("answers[%d]: question %q is answered twice.", i, a.QuestionID)
		}
		answered[a.QuestionID] = true
		if why := misanswer(questions[at], a); why != "" {
			return fmt.Sprintf("answers[%d], question %q: %s.", i, a.QuestionID, why)
		}
	}
	for _, q := range questions {
		if !partial && !answered[q.ID] {
			return fmt.Sprintf("answers: question %q has no answer.", q.ID)
		}
	}
	return ""
}

// misanswer says why an answer is none to its question.
func misanswer(q wire.Question, a wire.Answer) string {
	given := 0
	for _, is := range []bool{a.SelectedLabel != nil, a.SelectedLabels != nil, a.FreeText != nil} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return "give exactly one of selectedLabel, selectedLabels and freeText"
	case len(a.Attachments) > 0 && string(a.Attachments) != "null":
		return "attachments are not taken"
	case a.Note != nil && utf8.RuneCountInString(*a.Note) > maxAnswer:
		return fmt.Sprintf("note must be at most %d characters long", maxAnswer)
	case a.FreeText != nil && utf8.RuneCountInString(*a.FreeText) > maxAnswer:
		return fmt.Sprintf("freeText must be at most %d characters long", maxAnswer)
	case a.FreeText != nil:
		return ""
	case a.SelectedLabel != nil && q.Selection.Mode != wire.SelectSingle:
		return "it takes several options: give selectedLabels"
	case a.SelectedLabel != nil && !offered(q, *a.SelectedLabel):
		return "selectedLabel is none of its options"
	case a.SelectedLabel != nil:
		return ""
	case q.Selection.Mode != wire.SelectMultiple:
		return "it takes one option: give selectedLabel"
	}
	return misselection(q, a.SelectedLabels)
}

// misselection says why labels are no selection of several options.
func misselection(q wire.Question, labels []string) string {
	for i, label := range labels {
		switch {
		case !offered(q, label):
			return fmt.Sprintf("selectedLabels[%d] is none of its options", i)
		case slices.Contains(labels[:i], label):
			return fmt.Sprintf("selectedLabels[%d] is selected twice", i)
		}
	}
	least, most := SelectionBounds(q)
	switch n := len(labels); {
	case n < least:
		return fmt.Sprintf("selectedLabels must name at least %d, not %d", least, n)
	case n > most:
		return fmt.Sprintf("selectedLabels must name at most %d, not %d", most, n)
	}
	return ""
}

// SelectionBounds is how many options an answer in selectedLabels may name.
func SelectionBounds(q wire.Question) (least, most int) {
	least, most = 1, len(q.Options)
	if q.Selection.MinSelections != nil {
		least = *q.Selection.MinSelections
	}
	if q.Selection.MaxSelections != nil {
		most = *q.Selection.MaxSelections
	}
	return least, most
}

func offered(q wire.Question, label string) bool {
	return slices.ContainsFunc(q.Options, func(o wire.QuestionOption) bool { return o.Label == label })
}

// encodeAnswers is what a record keeps of answers; nil for none. Attachments, which
// are null at most, are not kept.
func encodeAnswers(answers []wire.Answer) json.RawMessage {
	if len(answers) == 0 {
		return nil
	}
	kept := slices.Clone(answers)
	for i := range kept {
		kept[i].Attachments = nil
	}
	return encode(kept)
}
