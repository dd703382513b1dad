package inbox

import (
	"strings"

	"github.com/approvald/approvald/internal/card"
)

// editorOver lays the editor over the lower part of a screen and puts the cursor into it.
func (m *Model) editorOver(s *Screen) {
	e := m.input
	const margin = 3
	room := m.width - 2*margin
	lines, cursor := e.layout(room)
	most := max(3, m.height/3)
	from := max(0, min(cursor.Y-most+1, len(lines)-most))
	seen := lines[from:min(len(lines), from+most)]
	top := m.height - 2 - len(seen) - 1
	s.Lines[top] = span(Accent, "── "+e.title+" ").with(Accent, strings.Repeat("─", max(0, m.width-width(e.title)-4)))
	for i, l := range seen {
		s.Lines[top+1+i] = append(span(Plain, strings.Repeat(" ", margin)), l...)
	}
	s.Cursor = &Point{margin + cursor.X, top + 1 + cursor.Y - from}
}

// layout breaks the text into lines, and says where its cursor is.
func (e *editor) layout(room int) (lines []Line, cursor Point) {
	lines = []Line{nil}
	column := 0
	for i := 0; ; i++ {
		if i == e.at {
			if column >= room {
				lines, column = append(lines, nil), 0
			}
			cursor = Point{column, len(lines) - 1}
		}
		if i == len(e.text) {
			return lines, cursor
		}
		if e.text[i] == '\n' {
			lines, column = append(lines, nil), 0
			continue
		}
		text := theirs(card.Of(string(e.text[i])), Plain)
		if column+text.width() > room {
			lines, column = append(lines, nil), 0
		}
		last := &lines[len(lines)-1]
		*last = append(*last, text...)
		column += text.width()
	}
}
