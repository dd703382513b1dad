package inbox

import (
	"slices"

	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

// Row is a row as it is told in a line.
type Row struct {
	ID          string
	Requirement wire.RequirementID
	Prompt      bool
	Over        bool
	Age         string
	Tool        string
	Headline    string // visible, its beginning where it is long
	Ending      string // how it was settled, "" while it waits
}

// Rows are what waits, and what was settled while it was looked at.
func (m *Model) Rows() []Row {
	rows := make([]Row, len(m.rows))
	for i := range m.rows {
		r := &m.rows[i]
		rows[i] = Row{
			ID: r.id, Requirement: r.requirement(), Prompt: r.prompt != nil, Over: r.over, Headline: clipped(headline(r), 200), Ending: r.text(),
		}
		if r.prompt != nil {
			rows[i].Age, rows[i].Tool = m.age(r.prompt.CreatedAt), card.Visible(r.prompt.ToolName)
		} else {
			rows[i].Age, rows[i].Tool = m.age(r.asked.CreatedAt), card.Visible(r.asked.ToolName)
		}
	}
	return rows
}

// Notice is what was last said about what happened, and whether it did not.
// What was settled elsewhere is in [Model.Ending].
func (m *Model) Notice() (text string, bad bool) {
	if m.notice.elsewhere {
		return "", false
	}
	return m.notice.text, m.notice.bad
}

// Ending is how what has an id was settled since the start, "" where it is not known, and
// whether that was done here.
func (m *Model) Ending(id string) (words string, mine bool) {
	return m.over[id].text(), m.over[id].mine
}

// Reading is the whole card that is shown, with its whole menu, in lines of a width.
func (m *Model) Reading(width int) []Line {
	r := m.current()
	m.typed = true
	switch {
	case r == nil:
		return nil
	case r.prompt != nil:
		return m.promptLines(card.NewPrompt(r.prompt, nil), r, width)
	}
	c := r.card()
	lines := m.cardLines(c, r, width)
	if !r.over {
		lines = append(append(lines, span(Dim, " choices, final once chosen:")), menuLines(c.Choices, width, false)...)
	}
	return lines
}

// Menu are the choices of the card that is shown.
func (m *Model) Menu() []wire.Choice {
	if r := m.current(); r != nil && r.asked != nil && !r.over {
		return r.asked.AvailableChoices
	}
	return nil
}

// standing is the row with a requirement, where it still is as it was read and can be
// decided; nil, with a notice, where not.
func (m *Model) standing(id wire.RequirementID) *row {
	r := m.find(id.ApprovalID)
	switch {
	case r == nil || r.over || r.requirement() != id:
		m.warn("It has moved on, so nothing was sent.")
	case r.sending:
		m.warn("A decision on it is on its way.")
	case !m.linked:
		m.warn("The daemon cannot be reached, so nothing was sent.")
	default:
		return r
	}
	return nil
}

func (m *Model) chosen(c Chosen) []Effect {
	r := m.standing(c.Requirement)
	if r == nil || r.asked == nil {
		return nil
	}
	menu := r.asked.AvailableChoices
	switch {
	case !slices.Equal(c.Menu, menu):
		m.warn("Its choices have changed, so nothing was decided. Show it again.")
		return nil
	case c.At < 0 || c.At >= len(menu):
		m.warn("The menu has no such choice.")
		return nil
	case c.Words != nil && !menu[c.At].AcceptsFeedback:
		m.warn("That choice takes no words, so nothing was decided.")
		return nil
	}
	return m.send(r, c.Requirement, menu[c.At].ChoiceID, c.Words)
}

func (m *Model) answered(a Answered) (out []Effect) {
	r := m.standing(a.Requirement)
	if r == nil || r.prompt == nil {
		return nil
	}
	d := &r.draft
	if a.Question < 0 || a.Question >= len(d.answers) {
		m.warn("There is no such question.")
		return nil
	}
	out = m.engage(r)
	d.at, d.answers[a.Question] = a.Question, answer{}
	if a.Words != "" {
		m.ownAnswer(r, a.Question, a.Words)
		return out
	}
	for _, o := range a.Options {
		d.at = a.Question
		m.option(r, o)
	}
	return out
}

func (m *Model) spoken(s Spoken) []Effect {
	r := m.standing(s.Requirement)
	if r == nil || r.prompt == nil {
		return nil
	}
	return m.speak(r, s.Words, s.Decline)
}

// speak ends a prompt with words instead of answers.
func (m *Model) speak(r *row, text string, decline bool) []Effect {
	if decline {
		r.sending = true
		return []Effect{Decline{wire.UserInputCancelParams{SessionID: r.prompt.SessionID, UserInputID: r.id, Reason: text}}}
	}
	if text == "" {
		m.warn("Nothing was sent: there was nothing to say.")
		return nil
	}
	r.sending = true
	return []Effect{Clarify{wire.UserInputClarifyParams{
		SessionID: r.prompt.SessionID, UserInputID: r.id,
		Clarification: wire.Clarification{Format: wire.ClarificationText, Content: text},
	}}}
}
