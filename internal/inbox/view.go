package inbox

import (
	"fmt"
	"strings"
	"time"

	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

// wide is from how many columns on a list stands beside its card.
const wide = 110

// least is the smallest screen that is drawn; a smaller one says so.
const leastWidth, leastHeight = 40, 12

// View is what is to be seen.
func (m Model) View() Screen {
	if m.width < leastWidth || m.height < leastHeight {
		return Screen{Lines: padded(words(Plain, fmt.Sprintf("The inbox needs %d columns and %d lines.", leastWidth, leastHeight), max(1, m.width)), m.height)}
	}
	var s Screen
	s.Lines = append(s.Lines, m.header(), rule(m.width, ""))
	body := m.body(m.height - 4)
	s.Lines = append(s.Lines, padded(body, m.height-4)...)
	s.Lines = append(s.Lines, m.noticeLine(), m.keysLine())
	if m.input != nil {
		m.editorOver(&s)
	}
	for i := range s.Lines {
		s.Lines[i] = s.Lines[i].fit(m.width)
	}
	return s
}

func (m *Model) header() Line {
	left := span(Strong, " approvald ").with(Plain, " ")
	switch {
	case !m.ready:
		left = left.with(Dim, "connecting…")
	case !m.linked:
		left = left.with(Bad, "no daemon; waiting for it")
	default:
		left = left.with(Plain, fmt.Sprintf("%d waiting", m.open))
	}
	var right Line
	for i, name := range []string{"pending", "history", "grants", "sessions"} {
		if i > 0 {
			right = right.with(Dim, "  ")
		}
		if place(i) == m.place {
			right = right.with(Accent, "["+name+"]")
		} else {
			right = right.with(Dim, " "+name+" ")
		}
	}
	return spread(left, right.with(Plain, " "), m.width)
}

func (m *Model) noticeLine() Line {
	switch {
	case m.asking != nil && m.asking.grant != nil:
		question := " y takes this back, any other key does not: "
		return span(Warn, question).with(Plain, card.Visible(m.asking.grant.RulePreview))
	case m.asking != nil:
		return span(Warn, " Which mode? A digit chooses, any other key leaves it.")
	case m.notice.bad:
		return span(Warn, " ! "+m.notice.text)
	case m.notice.text != "":
		return span(Accent, " · "+m.notice.text)
	}
	return nil
}

func (m *Model) keysLine() Line {
	keys := map[place][]string{
		history: {"↑↓", "select", "enter", "open", "t", filterNames[m.filter], "/", "search", "esc", "back", "?", "help"},
		granted: {"↑↓", "select", "x", "take back", "esc", "back", "?", "help", "q", "quit"},
		running: {"↑↓", "select", "m", "mode", "esc", "back", "?", "help", "q", "quit"},
	}[m.place]
	r := m.current()
	switch {
	case m.input != nil:
		keys = []string{"enter", "send", "alt+enter", "new line", "esc", "back"}
		if m.input.kind == searching {
			keys = []string{"enter", "search", "esc", "back"}
		}
	case m.asking != nil:
		keys = nil
	case m.help:
		keys = []string{"any key", "back"}
	case m.place != pending:
	case r == nil:
		keys = []string{"h", "history", "g", "grants", "s", "sessions", "?", "help", "q", "quit"}
	case r.over:
		keys = []string{"enter", "next", "↑↓", "select", "h", "history", "?", "help", "q", "quit"}
	case r.prompt != nil:
		keys = []string{"1-9", "option", "w", "own words", "enter", "send", "c", "reply", "x", "decline", "?", "help"}
	default:
		keys = []string{"1-9", "choose", "x", "reject", "v", "rules", "f", "unfold", "space", "scroll", "m", "mode", "?", "help"}
	}
	line := span(Plain, " ")
	for i := 0; i+1 < len(keys); i += 2 {
		if i > 0 {
			line = line.with(Plain, "  ")
		}
		line = line.with(Strong, keys[i]).with(Dim, " "+keys[i+1])
	}
	return line
}

// body is the page, in height lines.
func (m *Model) body(height int) []Line {
	switch {
	case m.help:
		return helpLines(m.width)
	case m.asking != nil && m.asking.grant == nil:
		return m.modeLines()
	case m.place == history && m.detail != nil:
		return m.scrolled(m.cardLines(m.detail, nil, m.width), height, m.width)
	case m.place == history && m.saying != nil:
		return m.scrolled(m.promptLines(m.saying, nil, m.width), height, m.width)
	case m.place == history:
		return m.historyLines(height)
	case m.place == granted:
		return m.grantLines(height)
	case m.place == running:
		return m.sessionLines(height)
	case len(m.rows) == 0:
		return m.emptyLines()
	case m.width >= wide:
		return m.beside(height)
	}
	rows := min(len(m.rows), listRoom(height))
	lines := m.listLines(rows, m.width)
	return append(append(lines, rule(m.width, m.position())), m.reading(height-rows-1, m.width)...)
}

// listRoom is how many rows of the list stand above a card.
func listRoom(height int) int { return max(3, height/5) }

// position says which of the rows is selected.
func (m *Model) position() string {
	if at := m.index(); at >= 0 {
		return fmt.Sprintf("%d of %d", at+1, len(m.rows))
	}
	return ""
}

func (m *Model) emptyLines() []Line {
	if !m.ready {
		return nil
	}
	return []Line{
		nil, span(Strong, "  Nothing waits."), nil,
		span(Dim, "  What agents ask comes up here by itself."),
		span(Dim, "  h shows what was decided, g what was allowed for longer."),
	}
}

// beside sets the list at the left of the card.
func (m *Model) beside(height int) []Line {
	left := m.width * 2 / 5
	list := padded(m.listLines(height, left), height)
	right := padded(m.reading(height, m.width-left-2), height)
	out := make([]Line, height)
	for i := range out {
		out[i] = append(append(list[i].fit(left), Span{"│ ", Dim}), right[i]...)
	}
	return out
}

// listLines are n lines of rows around the selected one.
func (m *Model) listLines(n, width int) []Line {
	from := max(0, min(m.index()-n/2, len(m.rows)-n))
	var lines []Line
	for i := from; i < min(len(m.rows), from+n); i++ {
		lines = append(lines, m.rowLine(&m.rows[i], width))
	}
	return lines
}

func (m *Model) rowLine(r *row, width int) Line {
	style, mark := Plain, "   "
	if r.id == m.selected {
		style, mark = Marked, " ▸ "
	}
	var tool, child string
	var since wire.Time
	if r.prompt != nil {
		tool, since, child = r.prompt.ToolName, r.prompt.CreatedAt, card.ChildText(r.prompt.SubagentOrigin)
	} else {
		tool, since, child = r.asked.ToolName, r.asked.CreatedAt, card.ChildText(r.asked.SubagentOrigin)
	}
	text := headline(r)
	left := span(style, mark).with(Dim, fmt.Sprintf("%4s  ", m.age(since)))
	left = left.with(style, column(card.Visible(tool), 9)+"  ").with(style, text)
	var right Line
	switch {
	case r.over && r.allowed:
		right = span(Good, " "+brief(r.words, width)+" ")
	case r.over:
		right = span(Bad, " "+brief(r.words, width)+" ")
	case r.sending:
		right = span(Accent, " sending… ")
	default:
		if r.asked != nil && r.asked.ProtectedWrite {
			right = right.with(Warn, " protected")
		}
		if child != "" {
			right = right.with(Dim, " child")
		}
		if left := m.left(r); left != "" {
			right = right.with(Dim, " "+left)
		}
		right = right.with(Plain, " ")
	}
	return spread(left, right, width)
}

func headline(r *row) string {
	if r.prompt != nil {
		return "asks: " + card.NewPrompt(r.prompt, nil).Headline.String()
	}
	text, _ := card.SubjectLine(r.asked.Subject)
	if len(text) > 1000 { // it is cut to a line anyway
		text = text[:1000]
	}
	return card.Visible(text)
}

// left says how long there is until the deadline, "" for none.
func (m *Model) left(r *row) string {
	var t *wire.Time
	if r.prompt != nil {
		t = r.prompt.ExpiresAt
	} else {
		t = r.asked.ExpiresAt
	}
	if t == nil {
		return ""
	}
	at, err := t.Parse()
	if err != nil {
		return ""
	}
	return m.until(at)
}

func (m *Model) until(at time.Time) string {
	if !at.After(m.now) {
		return "expired"
	}
	return span4(at.Sub(m.now)) + " left"
}

func (m *Model) age(t wire.Time) string {
	at, err := t.Parse()
	if err != nil {
		return "?"
	}
	return span4(m.now.Sub(at))
}

// span4 is a duration in at most four characters, mostly.
func span4(d time.Duration) string {
	const day = 24 * time.Hour
	switch d = max(0, d); {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 2*day:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dd", d/day)
}

// brief leaves out by whom something was settled where a row has no room: its card says it.
func brief(words string, width int) string {
	if width < 72 {
		words, _, _ = strings.Cut(words, " by ")
	}
	return words
}
