package inbox

import (
	"fmt"

	"github.com/approvald/approvald/internal/card"
)

// page sets a list of lines with one selected.
func page(lines []Line, at, height int) []Line {
	seen, _, _ := window(lines, at-height/2, height)
	return seen
}

func (m *Model) historyLines(height int) []Line {
	head := span(Dim, " "+filterNames[m.filter])
	if m.search != "" {
		head = head.with(Dim, ", with ").with(Accent, card.Visible(m.search))
	}
	if l := loading(m.past.loaded, m.past.err); l != nil {
		return []Line{head, l}
	}
	var fit []int // those that are shown, of which the screen has room for some
	at := 0
	for i := range m.past.items {
		if i == m.past.at {
			at = len(fit)
		}
		if m.matches(&m.past.items[i]) {
			fit = append(fit, i)
		}
	}
	if len(fit) == 0 {
		return []Line{head, nil, span(Dim, "  Nothing was decided that fits.")}
	}
	lines := []Line{head.with(Dim, fmt.Sprintf(" · %d decided", len(fit)))}
	seen, _, _ := window(fit, at-(height-1)/2, height-1)
	for _, i := range seen {
		e := &m.past.items[i]
		mark, style := "   ", Plain
		if i == m.past.at {
			mark, style = " ▸ ", Marked
		}
		result := Bad
		if e.fine() {
			result = Good
		}
		left := span(style, mark).with(Dim, fmt.Sprintf("%4s  ", m.ago(e)))
		left = left.with(style, column(e.tool(), 9)+"  "+clipped(e.headline(), 400))
		lines = append(lines, spread(left, span(result, " "+clipped(e.words(), 36)+" "), m.width))
	}
	return lines
}

func (m *Model) ago(e *Entry) string {
	if e.At().IsZero() {
		return ""
	}
	return span4(m.now.Sub(e.At()))
}

func loading(loaded bool, err error) Line {
	switch {
	case err != nil:
		return span(Bad, " It could not be read: "+card.Visible(err.Error()))
	case !loaded:
		return span(Dim, " reading…")
	}
	return nil
}

func (m *Model) grantLines(height int) []Line {
	if l := loading(m.grants.loaded, m.grants.err); l != nil {
		return []Line{l}
	}
	if len(m.grants.items) == 0 {
		return []Line{nil, span(Dim, "  Nothing is granted for longer than once.")}
	}
	var lines []Line
	first := 0
	for i, g := range m.grants.items {
		mark, style := "   ", Plain
		if i == m.grants.at {
			mark, style, first = " ▸ ", Marked, len(lines)
		}
		scope := "session " + clipped(card.Visible(g.SessionID), 13)
		if g.WorkspaceRoot != "" {
			scope = "workspace " + card.Visible(g.WorkspaceRoot)
		}
		state := span(Good, " in force ")
		if !g.InForce {
			style, state = Dim, span(Dim, " over ")
		}
		left := span(style, mark).with(Dim, fmt.Sprintf("%4s  ", m.age(g.CreatedAt))).with(style, scope)
		lines = append(lines, spread(left, state, m.width))
		lines = append(lines, hung(span(Plain, "         "), theirs(card.Of(g.RulePreview), style), m.width)...)
	}
	return page(lines, first, height)
}

func (m *Model) sessionLines(height int) []Line {
	if l := loading(m.sessions.loaded, m.sessions.err); l != nil {
		return []Line{l}
	}
	if len(m.sessions.items) == 0 {
		return []Line{nil, span(Dim, "  There are no sessions.")}
	}
	lines := make([]Line, len(m.sessions.items))
	for i, s := range m.sessions.items {
		mark, style := "   ", Plain
		if i == m.sessions.at {
			mark, style = " ▸ ", Marked
		}
		name := card.Visible(s.Name)
		if s.Name == "" {
			name = "(no name)"
		}
		if s.CreatedByClient != nil {
			name += " by " + card.Visible(s.CreatedByClient.Name)
		}
		if s.ParentSessionID != "" {
			name += ", child of " + clipped(card.Visible(s.ParentSessionID), 13)
		}
		where := ""
		if s.WorkspaceRoot != nil {
			where = "  " + card.Visible(*s.WorkspaceRoot)
		}
		left := span(style, mark).with(Dim, fmt.Sprintf("%4s  ", m.age(s.CreatedAt))).
			with(style, clipped(card.Visible(s.SessionID), 13)+"  "+name).with(Dim, where)
		right := span(Plain, " "+card.Visible(string(s.ApprovalMode.Mode))+" ")
		if len(s.Attention) > 0 {
			right = append(span(Accent, " waits "), right...)
		}
		lines[i] = spread(left, right, m.width)
	}
	return page(lines, m.sessions.at, height)
}

func (m *Model) modeLines() []Line {
	s := m.names[m.asking.session]
	lines := []Line{
		nil, span(Strong, " The mode of session ").with(Plain, card.Visible(m.asking.session)+"  "+card.Visible(s.Name)), nil,
	}
	for i, mode := range modes {
		line := span(Accent, fmt.Sprintf("  %d  ", i+1)).with(Plain, fmt.Sprintf("%-17s", mode)).with(Dim, ModeText(mode))
		if mode == s.ApprovalMode.Mode {
			line = line.with(Accent, "  (now)")
		}
		lines = append(lines, line)
	}
	return append(lines, nil, span(Dim, "  It binds from the next action on. What is above the ceiling is refused."))
}

func helpLines(width int) []Line {
	keys := [][2]string{
		{"1-9", "make the choice with that number; of a prompt, select the option"},
		{"x", "reject, and say why; of a prompt, decline"},
		{"v", "the menu with all of its rules"},
		{"w  c  enter", "of a prompt: own words, reply instead of an answer, send"},
		{"↑ ↓  j k", "select; nothing that arrives moves the selection"},
		{"space  pgup", "turn the card; J and K by a line"},
		{"f", "unfold and fold long values"},
		{"m", "switch the mode of the session"},
		{"p h g s", "what waits, what was decided, grants, sessions"},
		{"t  /", "in what was decided: filter, search"},
		{"q  ctrl+c", "quit"},
	}
	lines := []Line{nil}
	for _, k := range keys {
		lines = append(lines, span(Strong, fmt.Sprintf("  %-14s", k[0])).with(Plain, k[1]))
	}
	lines = append(lines, nil)
	for _, l := range words(Dim, "A decision is final: there is no undo. What a choice allowed for longer than once can be taken back under g. "+
		"A card takes no choice in the moment in which it comes up, so no key that was meant for another decides it.", width-4) {
		lines = append(lines, append(span(Plain, "  "), l...))
	}
	return lines
}
