package card_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

func TestAPromptSaysWhatAnAnswerHasToBe(t *testing.T) {
	two, three := 2, 3
	options := []wire.QuestionOption{{Label: "a"}, {Label: "b\u202e", Preview: &wire.OptionPreview{Format: "text", Content: "x\ny"}}, {Label: "c"}}
	for name, tt := range map[string]struct {
		options []wire.QuestionOption
		is      wire.Selection
		want    string
	}{
		"free":         {nil, wire.Selection{Mode: wire.SelectSingle}, "in your own words, at most 500 characters"},
		"one":          {options, wire.Selection{Mode: wire.SelectSingle}, "choose one, or answer in your own words"},
		"several":      {options, wire.Selection{Mode: wire.SelectMultiple}, "choose one or more, or answer in your own words"},
		"two to three": {options, wire.Selection{Mode: wire.SelectMultiple, MinSelections: &two, MaxSelections: &three}, "choose 2 to 3, or answer in your own words"},
		"exactly two":  {options, wire.Selection{Mode: wire.SelectMultiple, MinSelections: &two, MaxSelections: &two}, "choose 2, or answer in your own words"},
	} {
		t.Run(name, func(t *testing.T) {
			p := card.NewPrompt(&wire.UserInputRequest{UserInputID: "p", Questions: []wire.Question{{ID: "q", Question: "Which?", Options: tt.options, Selection: tt.is}}}, nil)
			if got := p.Questions[0].Hint; got != tt.want {
				t.Errorf("the hint is %q, want %q", got, tt.want)
			}
			if len(tt.options) > 0 {
				o := p.Questions[0].Options[1]
				if o.Value != "b\u202e" || o.Label.String() != "b<U+202E>" || len(o.Preview) != 2 {
					t.Errorf("an option is %+v", o)
				}
			}
		})
	}
}

func TestASettledPromptSaysWhatWasAnswered(t *testing.T) {
	label, note := "yes", "but slowly"
	at := wire.Time("2026-01-02T03:04:05.678Z")
	p := card.NewPrompt(
		&wire.UserInputRequest{Questions: []wire.Question{{ID: "q", Question: "Go?"}}},
		&wire.UserInputSettledEvent{Outcome: wire.UserInputAnswered, DecidedAt: &at, Answers: []wire.Answer{{QuestionID: "q", SelectedLabel: &label, Note: &note}}},
	)
	s := p.Settled
	if s == nil || s.Words != "answered" || s.At.IsZero() || len(s.Answers) != 1 {
		t.Fatalf("settled: %+v", s)
	}
	if d := cmp.Diff("Go? yes (but slowly)", s.Answers[0].Question.String()+" "+s.Answers[0].Answer[0].Text.String()); d != "" {
		t.Errorf("the answer (-want +got):\n%s", d)
	}
}
