package inbox

import (
	"fmt"
	"slices"
	"strings"

	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

// labels is how wide the column of names is.
const labels = 12

// reading is the card of the selected row over its menu, in height lines.
func (m *Model) reading(height, width int) []Line {
	r := m.current()
	if r == nil {
		return nil
	}
	if r.prompt != nil {
		return m.scrolled(m.promptLines(card.NewPrompt(r.prompt, nil), r, width), height, width)
	}
	c := r.card()
	if r.over {
		return m.scrolled(m.cardLines(c, r, width), height, width)
	}
	if m.menuOpen {
		return m.scrolled(menuLines(c.Choices, width, false), height, width)
	}
	menu := menuIn(c.Choices, height, width)
	room := height - len(menu) - 1
	lines, rest := turned(m.cardLines(c, r, width), m.top, room)
	if rest != "" {
		rest += " · "
	}
	return append(append(padded(lines, room), rule(width, rest+m.arming(r))), menu...)
}

// card is that of an approval. Where it is settled nothing of it is open any more.
func (r *row) card() *card.Card {
	if b := r.built; b.card != nil && b.of == r.asked && b.over == r.over {
		return b.card
	}
	asked := *r.asked
	if r.over {
		asked.AvailableChoices = nil
	}
	r.built = built{card: card.New(&asked, nil), of: r.asked, over: r.over}
	return r.built.card
}

// built is a card that was made, and of what: it may take longer than to draw it.
type built struct {
	card *card.Card
	of   *wire.ApprovalRequest
	over bool

	arguments []Line // of the card, as they were set last
	width     int    // and how
	unfolded  bool
}

func (m *Model) arming(r *row) string {
	switch {
	case r.sending:
		return "sending…"
	case !m.linked:
		return "no daemon"
	case !m.armed():
		return "not yet"
	}
	return "final once chosen"
}

// scrolled is what of the lines there is room for, and a line that tells of the rest.
func (m *Model) scrolled(lines []Line, height, width int) []Line {
	if len(lines) <= height {
		return lines
	}
	seen, rest := turned(lines, m.top, height-1)
	return append(seen, rule(width, rest))
}

// turned is what of the lines from top on there is room for, and what there is beside.
func turned(lines []Line, top, height int) (seen []Line, rest string) {
	seen, before, after := window(lines, top, height)
	switch {
	case before > 0 && after > 0:
		rest = fmt.Sprintf("%d lines above, %d below", before, after)
	case after > 0:
		rest = fmt.Sprintf("%d lines below: space", after)
	case before > 0:
		rest = fmt.Sprintf("the end, %d lines above", before)
	}
	return slices.Clone(seen), rest
}

// lowest is the last place that the card can be turned to.
func (m *Model) lowest() int {
	lines, seen := m.extent()
	return max(0, lines-seen)
}

// page is by how many lines a card is turned: none is passed over, and one stays.
func (m *Model) page() int {
	_, seen := m.extent()
	return max(1, seen-1)
}

// extent is how many lines the card has that can be turned, or its menu where that has its
// room, and how many of them are seen at once.
func (m *Model) extent() (lines, seen int) {
	height, width := m.height-4, m.width
	r := m.current()
	switch {
	case m.place == history && m.detail != nil:
		return len(m.cardLines(m.detail, nil, width)), height - 1
	case m.place == history && m.saying != nil:
		return len(m.promptLines(m.saying, nil, width)), height - 1
	case m.place != pending || r == nil:
		return 0, 0
	}
	height, width = m.room()
	switch {
	case r.prompt != nil:
		return len(m.promptLines(card.NewPrompt(r.prompt, nil), r, width)), height - 1
	case m.menuOpen && !r.over:
		return len(menuLines(card.Choices(r.asked.AvailableChoices), width, false)), height - 1
	}
	c := r.card()
	if !r.over {
		height -= len(menuIn(c.Choices, height, width))
	}
	return len(m.cardLines(c, r, width)), height - 1
}

// hung sets somebody else's line behind a first column, marked so that no part of it
// passes for a line of ours, broken where it is too long.
func hung(first, text Line, width int) []Line { return hang(first, "│ ", text.wrap, width) }

// single is hung for a text of one line, which needs no mark unless it is broken.
func single(first, text Line, width int) []Line { return hang(first, "  ", text.wrap, width) }

func hang(first Line, mark string, wrap func(int) []Line, width int) []Line {
	indent := first.width()
	parts := wrap(max(8, width-indent-2))
	if len(parts) > 1 {
		mark = "│ "
	}
	var lines []Line
	for i, part := range parts {
		head := append(slices.Clone(first), Span{mark, Dim})
		if i > 0 {
			head = span(Plain, strings.Repeat(" ", indent)).with(Dim, "┆ ")
		}
		lines = append(lines, append(head, part...))
	}
	return lines
}

// cardWriter sets a card in lines of one width.
type cardWriter struct {
	lines    []Line
	width    int
	unfolded bool
}

func (w *cardWriter) add(l Line) { w.lines = append(w.lines, l) }

func label(name string) Line {
	return span(Dim, " "+fmt.Sprintf("%-*s", labels-1, clipped(name, labels-2)))
}

// text sets lines of somebody else under a name.
func (w *cardWriter) text(name string, style Style, lines []card.Line) {
	for i, l := range lines {
		first := label(name)
		if i > 0 {
			first = label("")
		}
		s := style
		switch l.Mark {
		case card.Added:
			s = Good
		case card.Removed:
			s = Bad
		case card.Hunk:
			s = Accent
		case card.Header:
			s = Dim
		case card.Plain:
		}
		text := append(span(s, strings.Repeat("  ", l.Indent)), theirs(l.Text, s)...)
		if l.Fold != nil && !w.unfolded {
			text = text.with(Accent, "  ("+l.Fold.Size+"; f unfolds)")
		}
		mark, wrap := "│ ", text.wrap
		if len(lines) == 1 {
			mark = "  "
		}
		if style == Said {
			wrap = text.prose
		}
		w.lines = append(w.lines, hang(first, mark, wrap, w.width)...)
		if l.Fold != nil && w.unfolded {
			for _, folded := range l.Fold.Lines {
				w.lines = append(w.lines, hung(label(""), append(span(Plain, strings.Repeat("  ", l.Indent+1)), theirs(folded, s)...), w.width)...)
			}
			w.omitted(l.Fold.Omitted)
		}
	}
}

func (w *cardWriter) omitted(bytes int) {
	if bytes > 0 {
		w.add(label("").with(Warn, fmt.Sprintf("  %d bytes more are not shown here; approvald show has them", bytes)))
	}
}

func (w *cardWriter) one(name string, text card.Text) {
	if len(text) > 0 {
		w.lines = append(w.lines, hang(label(name), "  ", theirs(text, Plain).prose, w.width)...)
	}
}

func (w *cardWriter) ours(name, text string) {
	if text == "" {
		return
	}
	for i, l := range words(Plain, text, w.width-labels-2) {
		if i > 0 {
			name = ""
		}
		w.add(append(label(name).with(Plain, "  "), l...))
	}
}

func (w *cardWriter) item(item card.Item) {
	if item.Form == card.FormStages {
		for _, s := range item.Stages {
			w.stage(s)
		}
		return
	}
	style := Plain
	if item.Name == "command" {
		style = Strong
	}
	w.text(item.Name, style, item.Lines)
	w.omitted(item.Omitted)
}

// arguments sets the arguments of a call. There may be a megabyte of them, so those of a
// row are set again only where they are to be set otherwise.
func (w *cardWriter) arguments(c *card.Card, r *row) {
	if r == nil || r.built.card != c {
		w.item(c.Arguments)
		return
	}
	b := &r.built
	if b.arguments == nil || b.width != w.width || b.unfolded != w.unfolded {
		own := &cardWriter{width: w.width, unfolded: w.unfolded}
		own.item(c.Arguments)
		b.arguments, b.width, b.unfolded = own.lines, w.width, w.unfolded
	}
	w.lines = append(w.lines, b.arguments...)
}

func (w *cardWriter) stage(s card.Stage) {
	style, mark := Plain, "  "
	switch {
	case s.Current:
		style, mark = Accent, "▸ "
	case s.Denied:
		style = Bad
	case !s.Open:
		style = Dim
	}
	state := Line{}
	if len(s.State) > 0 {
		state = append(span(style, "  ["), append(theirs(s.State, style), Span{"]", style})...)
	}
	first := span(style, fmt.Sprintf(" %s%-*s", mark, labels-3, fmt.Sprintf("%d of %d", s.Position, s.Total)))
	w.lines = append(w.lines, single(first, append(theirs(s.Command, style), state...), w.width)...)
	w.one("", s.Why)
	if len(s.Prefix) > 0 {
		w.lines = append(w.lines, single(label(""), append(span(Dim, "may become a rule: "), append(theirs(s.Prefix, Dim), Span{" …", Dim})...), w.width)...)
	}
}

// cardLines are all lines of a card. r is its row, nil for one of the past.
func (m *Model) cardLines(c *card.Card, r *row, width int) []Line {
	w := &cardWriter{width: width, unfolded: m.unfolded}
	title := span(Strong, " "+c.Title)
	if stage := stageOf(c); stage != "" {
		title = title.with(Accent, "   "+stage)
	}
	w.add(title)
	m.ending(w, c, r)
	for _, warning := range c.Warnings {
		for i, l := range words(Warn, warning.Text, width-4) {
			mark := " !  "
			if i > 0 {
				mark = "    "
			}
			w.add(append(span(Warn, mark), l...))
		}
		if len(warning.Detail) > 0 {
			w.lines = append(w.lines, single(span(Plain, "  "), theirs(warning.Detail, Plain), width)...)
		}
	}
	for _, item := range c.Subject {
		w.item(item)
	}
	w.text("reason", Said, c.Reason)
	if c.Justification != nil {
		w.add(label("because").with(Warn, "  the model says so; nobody has checked it"))
		w.text("", Said, c.Justification)
	}
	w.arguments(c, r)
	if c.Operation != nil {
		w.item(*c.Operation)
	}
	w.one("policy", c.Policy)
	w.ours("needs", c.Needs)
	m.asker(w, c.Tool, c.Asker)
	if !c.Opened.IsZero() && c.Settled == nil {
		since := "asked " + span4(m.now.Sub(c.Opened)) + " ago"
		if !c.Expires.IsZero() {
			since += ", " + m.until(c.Expires)
		}
		w.ours("when", since)
	}
	return w.lines
}

func stageOf(c *card.Card) string {
	for _, item := range c.Subject {
		for _, s := range item.Stages {
			if s.Current && s.Total > 1 {
				return fmt.Sprintf("part %d of %d is to be decided", s.Position, s.Total)
			}
		}
	}
	return ""
}

// ending says how it was settled.
func (m *Model) ending(w *cardWriter, c *card.Card, r *row) {
	switch {
	case r != nil && r.over:
		style := Bad
		if r.allowed {
			style = Good
		}
		told := r.ending
		switch {
		case r.mine || r.sending:
		case strings.HasSuffix(r.words, " by a reviewer"):
			told.words += " other than you"
		case strings.HasSuffix(r.words, " by the terminal inbox"):
			told.words += " (another one)"
		}
		for i, l := range words(style, "Settled: "+told.text()+". It is final; enter shows the next.", w.width-4) {
			w.add(append(span(style, [...]string{" ■ ", "   "}[min(i, 1)]), l...))
		}
	case c.Settled != nil:
		s := c.Settled
		style := Bad
		if s.Allowed {
			style = Good
		}
		w.add(span(style, " ■ "+s.Words).with(Dim, ", "+s.At.UTC().Format("2006-01-02 15:04:05Z")+", it is final"))
		w.one("by", s.By)
		w.text("denial", Said, s.Denial)
		w.text("feedback", Said, s.Feedback)
		w.ours("successor", s.Successor)
	}
}

// asker says who asks.
func (m *Model) asker(w *cardWriter, tool card.Text, a card.Asker) {
	w.one("tool", tool)
	s := m.names[a.SessionID]
	text := card.Visible(a.SessionID)
	if s.Name != "" {
		text = card.Visible(s.Name) + "  " + text
	}
	if s.CreatedByClient != nil {
		text += ", started by " + card.Visible(s.CreatedByClient.Name)
	}
	w.ours("session", text)
	if s.ApprovalMode.Mode != "" {
		w.ours("mode", card.Visible(string(s.ApprovalMode.Mode))+" ("+ModeText(s.ApprovalMode.Mode)+")")
	}
	if len(a.Path) > 0 {
		w.one("sub-agent", card.Of(strings.Join(a.Path, " > ")))
	}
	w.one("call", a.Call)
}
