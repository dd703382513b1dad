package inbox

import (
	"strings"
	"unicode/utf8"

	"github.com/approvald/approvald/wire"
)

// mostFeedback is how many bytes the daemon takes of feedback (protocol §1).
const mostFeedback = 16 << 10

// editing says what becomes of the text of an editor.
type editing int

const (
	feedback editing = iota
	ownWords         // an answer to a question
	clarifying
	declining
	searching
)

// editor is a text that is being written. It belongs to one requirement of one approval
// or prompt, and is closed with it.
type editor struct {
	kind        editing
	title       string
	requirement wire.RequirementID
	choice      wire.ChoiceID
	question    int
	text        []rune
	at          int // the cursor
	most        int // bytes; of answers, characters
}

// edit takes a key for the text.
func (m *Model) edit(k Key) []Effect {
	e := m.input
	switch k.Name {
	case "esc":
		m.input = nil
		if e.kind != searching {
			m.say("Nothing was sent.")
		}
	case "enter":
		return m.submit()
	case "alt+enter", "shift+enter", "ctrl+j":
		m.write("\n")
	case "backspace", "ctrl+h":
		if e.at > 0 {
			e.text = append(e.text[:e.at-1:e.at-1], e.text[e.at:]...)
			e.at--
		}
	case "delete", "ctrl+d":
		if e.at < len(e.text) {
			e.text = append(e.text[:e.at:e.at], e.text[e.at+1:]...)
		}
	case "left":
		e.at = max(0, e.at-1)
	case "right":
		e.at = min(len(e.text), e.at+1)
	case "home", "ctrl+a":
		e.at = 0
	case "end", "ctrl+e":
		e.at = len(e.text)
	case "ctrl+u":
		e.text, e.at = append([]rune(nil), e.text[e.at:]...), 0
	default:
		m.write(k.Text)
	}
	return nil
}

// paste takes pasted text into what is being written, and nowhere else: it is no key.
func (m *Model) paste(text string) {
	if m.input == nil {
		m.warn("What was pasted is not taken for keys.")
		return
	}
	m.write(strings.ReplaceAll(text, "\r\n", "\n"))
}

// write puts text in at the cursor, as far as there is room.
func (m *Model) write(text string) {
	e := m.input
	for _, r := range text {
		if r != '\n' && (r < ' ' || r == utf8.RuneError || r == 0x7f) {
			continue
		}
		if e.size(r) > e.most {
			m.warn("It is as long as it may be.")
			return
		}
		e.text = append(e.text[:e.at:e.at], append([]rune{r}, e.text[e.at:]...)...)
		e.at++
	}
}

// size is that of the text with one rune more.
func (e *editor) size(more rune) int {
	if e.kind == ownWords {
		return len(e.text) + 1
	}
	return len(string(e.text)) + utf8.RuneLen(more)
}

// submit does with the text what it was written for, unless what it was about has moved
// on.
func (m *Model) submit() []Effect {
	e := *m.input
	if e.kind != searching && !m.armed() {
		return nil
	}
	m.input = nil
	text := strings.TrimSpace(string(e.text))
	if e.kind == searching {
		m.search = text
		m.past.at = m.firstPast()
		return nil
	}
	r := m.standing(e.requirement)
	if r == nil {
		return nil
	}
	switch e.kind {
	case feedback:
		return m.send(r, e.requirement, e.choice, wordsOf(text))
	case ownWords:
		m.ownAnswer(r, e.question, text)
		return nil
	default:
		return m.speak(r, text, e.kind == declining)
	}
}

// wordsOf is nil for no words.
func wordsOf(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// closeInput closes the editor of the card that is shown, and reports whether words are
// lost with it.
func (m *Model) closeInput() bool {
	if m.input == nil || m.input.kind == searching {
		return false
	}
	had := len(m.input.text) > 0
	m.input = nil
	return had
}
