package inbox

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

// draft is what was answered of a prompt so far.
type draft struct {
	at      int // the question that is answered
	answers []answer
	engaged bool
}

// answer is to one question: options by their place, or words.
type answer struct {
	options []int
	words   string
}

func (a answer) given() bool { return len(a.options) > 0 || a.words != "" }

func draftOf(r *wire.UserInputRequest) draft { return draft{answers: make([]answer, len(r.Questions))} }

// promptKey takes a key for a prompt.
func (m *Model) promptKey(r *row, k Key) (out []Effect) {
	d := &r.draft
	switch {
	case k.Name == "left":
		d.at = max(0, d.at-1)
		return nil
	case k.Name == "right", k.Name == "tab":
		d.at = min(len(d.answers)-1, d.at+1)
		return nil
	case !isDigit(k.Name) && !slices.Contains([]string{"w", "c", "x", "enter"}, k.Name):
		return nil
	case r.sending:
		m.warn("An answer to it is on its way.")
		return nil
	case !m.linked:
		m.warn("The daemon cannot be reached, so nothing was sent.")
		return nil
	case !m.armed():
		m.warn("Nothing was answered: the card had only just come up. Press again.")
		return nil
	case m.again && k.Name == "enter":
		m.warn("Nothing was sent: the key may be held down. Let go, and press again.")
		return nil
	}
	if k.Name != "x" {
		out = m.engage(r)
	}
	switch k.Name {
	case "w":
		a := d.answers[d.at]
		m.input = &editor{kind: ownWords, title: "Your answer", question: d.at, text: []rune(a.words), at: utf8.RuneCountInString(a.words), most: card.MostAnswer}
	case "c":
		m.input = &editor{kind: clarifying, title: "Say something instead of an answer; it ends the prompt", most: mostFeedback}
	case "x":
		m.input = &editor{kind: declining, title: "Decline to answer — why? (may be empty)", most: mostFeedback}
	case "enter":
		return append(out, m.answers(r)...)
	default:
		m.option(r, int(k.Name[0]-'1'))
		return out
	}
	m.input.requirement = r.requirement()
	return out
}

// engage tells once that somebody has begun to answer, which ends the deadline.
func (m *Model) engage(r *row) []Effect {
	if r.draft.engaged {
		return nil
	}
	r.draft.engaged = true
	return []Effect{Engage{wire.UserInputEngaged{SessionID: r.prompt.SessionID, UserInputID: r.id}}}
}

// option selects an option of the question, or takes it back.
func (m *Model) option(r *row, at int) {
	d := &r.draft
	q := card.NewPrompt(r.prompt, nil).Questions[d.at]
	a := &d.answers[d.at]
	switch {
	case at >= len(q.Options):
		m.warn("The question has no such option.")
	case slices.Contains(a.options, at):
		a.options = slices.DeleteFunc(a.options, func(o int) bool { return o == at })
	case q.Multiple:
		a.options, a.words = append(a.options, at), ""
		slices.Sort(a.options)
	default:
		*a = answer{options: []int{at}}
		m.following(d)
	}
}

// ownAnswer takes an answer in one's own words.
func (m *Model) ownAnswer(r *row, question int, text string) {
	r.draft.answers[question] = answer{words: text}
	if text != "" {
		m.following(&r.draft)
	}
}

// following goes on to the next question that has no answer, if there is one.
func (m *Model) following(d *draft) {
	for i := range d.answers {
		if next := (d.at + 1 + i) % len(d.answers); !d.answers[next].given() {
			d.at = next
			return
		}
	}
}

// answers sends the answers, when each question has one.
func (m *Model) answers(r *row) []Effect {
	p := wire.UserInputAnswerParams{SessionID: r.prompt.SessionID, UserInputID: r.id}
	for i, q := range card.NewPrompt(r.prompt, nil).Questions {
		a := r.draft.answers[i]
		if !a.given() || a.words == "" && q.Multiple && (len(a.options) < q.Least || len(a.options) > q.Most) {
			r.draft.at = i
			m.warn(fmt.Sprintf("Nothing was sent: question %d of %d wants an answer (%s).", i+1, len(r.draft.answers), q.Hint))
			return nil
		}
		out := wire.Answer{QuestionID: q.ID}
		switch {
		case a.words != "":
			out.FreeText = &a.words
		case q.Multiple:
			for _, o := range a.options {
				out.SelectedLabels = append(out.SelectedLabels, q.Options[o].Value)
			}
		default:
			out.SelectedLabel = &q.Options[a.options[0]].Value
		}
		p.Answers = append(p.Answers, out)
	}
	r.sending = true
	return []Effect{Answer{p}}
}
