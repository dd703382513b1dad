package inbox

import (
	"fmt"

	"github.com/approvald/approvald/internal/card"
)

// form is how much of a menu there is room for beside its card.
type form int

const (
	whole  form = iota // each choice with its rules, to the letter
	short              // with as much of them as a line holds
	closed             // not even a line for each: that there is one
)

// leastCard is how many lines of a card a menu leaves.
const leastCard = 3

// formOf is the form of a menu in a room: of the whole of it at most half.
func formOf(choices []card.Choice, height, width int) form {
	switch {
	case len(menuLines(choices, width, false)) <= height/2:
		return whole
	case len(choices)+1+leastCard <= height:
		return short
	}
	return closed
}

// menuIn is the menu as there is room for it.
func menuIn(choices []card.Choice, height, width int) []Line {
	form := formOf(choices, height, width)
	if form == closed {
		return []Line{span(Accent, fmt.Sprintf(" 1-%d  ", len(choices))).with(Plain, "choices: v shows them")}
	}
	return menuLines(choices, width, form == short)
}

// room is that of the card and its menu.
func (m *Model) room() (height, width int) {
	height, width = m.height-4, m.width
	if m.width >= wide {
		return height, m.width - m.width*2/5 - 2
	}
	return height - min(len(m.rows), listRoom(height)) - 1, width
}

// folded reports whether not all of what a choice leaves behind is on the screen.
func (m *Model) folded(at int) bool {
	choices := card.Choices(m.Menu())
	height, width := m.room()
	c := choices[at]
	switch formOf(choices, height, width) {
	case whole:
		return false
	case short:
		return len(c.Preview) > 1 || len(c.Preview) == 1 && choiceLine(c, at).width()+2+theirs(c.Preview[0], Plain).width() > width
	case closed:
	}
	return true
}

// readTo is to which line the open menu is in sight, 0 where it is not open.
func (m *Model) readTo() int {
	if !m.menuOpen {
		return 0
	}
	height, width := m.room()
	lines := menuLines(card.Choices(m.Menu()), width, false)
	if len(lines) <= height {
		return len(lines)
	}
	seen, before, _ := window(lines, m.top, height-1) // as scrolled
	return before + len(seen)
}

// beyond reports whether a choice of the open menu has lines that never were in sight.
func (m *Model) beyond(at int) bool {
	_, width := m.room()
	return len(menuLines(card.Choices(m.Menu()[:at+1]), width, false)) > m.shown.read
}

func choiceLine(c card.Choice, at int) Line {
	return span(Accent, fmt.Sprintf(" %d  ", at+1)).with(Plain, c.Label.String())
}

// menuLines are the choices, each with the rule that it leaves behind, to the letter.
// short cuts that to the line of the choice.
func menuLines(choices []card.Choice, width int, short bool) (lines []Line) {
	for i, c := range choices {
		line := choiceLine(c, i)
		if short && len(c.Preview) > 0 {
			line = append(line.with(Dim, "  "), theirs(c.Preview[0], Dim)...)
			if len(c.Preview) > 1 || line.width() > width {
				lines = append(lines, spread(line, span(Dim, " … v"), width))
				continue
			}
		}
		lines = append(lines, line)
		if short {
			continue
		}
		for _, p := range c.Preview {
			lines = append(lines, hung(span(Plain, "    "), theirs(p, Dim), width)...)
		}
	}
	return lines
}
