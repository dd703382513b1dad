package inbox

import (
	"fmt"
	"slices"

	"github.com/approvald/approvald/internal/card"
)

// promptLines are all lines of a prompt. r is its row, nil for one of the past.
func (m *Model) promptLines(p *card.Prompt, r *row, width int) []Line {
	w := &cardWriter{width: width, unfolded: m.unfolded}
	w.add(span(Strong, " The agent asks you"))
	switch {
	case r != nil && r.over:
		w.add(span(Good, " ■ Settled: "+r.text()+". It is final; enter shows the next."))
	case p.Settled != nil:
		w.add(span(Accent, " ■ "+p.Settled.Words))
		for _, a := range p.Settled.Answers {
			w.one("question", a.Question)
			w.text("answer", Said, a.Answer)
		}
		w.text("reply", Said, p.Settled.Says)
		w.one("reason", p.Settled.Reason)
	}
	for i, q := range p.Questions {
		m.question(w, r, q, i, len(p.Questions))
	}
	m.asker(w, p.Tool, p.Asker)
	if !p.Opened.IsZero() && p.Settled == nil {
		since := "asked " + span4(m.now.Sub(p.Opened)) + " ago"
		if !p.Expires.IsZero() && (r == nil || !r.draft.engaged) {
			since += ", " + m.until(p.Expires) + " unless you answer"
		}
		w.ours("when", since)
	}
	return w.lines
}

func (m *Model) question(w *cardWriter, r *row, q card.Question, at, total int) {
	open := r != nil && !r.over
	current := open && r.draft.at == at
	style, name := Said, "question"
	if total > 1 {
		name = fmt.Sprintf("%d of %d", at+1, total)
	}
	if current {
		style = Accent
		if total > 1 {
			name = "▸ " + name
		}
	}
	if len(q.Header) > 0 {
		w.add(append(label(name).with(Plain, "  "), theirs(q.Header, Strong)...))
		name = ""
	}
	w.text(name, style, q.Text)
	for i, o := range q.Options {
		number := "   "
		if current && i < 9 {
			number = fmt.Sprintf(" %d ", i+1)
		}
		mark, markStyle := "( ) ", Plain
		if q.Multiple {
			mark = "[ ] "
		}
		if open && slices.Contains(r.draft.answers[at].options, i) {
			mark, markStyle = "(●) ", Accent
			if q.Multiple {
				mark = "[x] "
			}
		}
		line := append(span(Accent, number).with(markStyle, mark), theirs(o.Label, Plain)...)
		if len(o.Description) > 0 {
			line = append(line.with(Dim, "  "), theirs(o.Description, Dim)...)
		}
		w.lines = append(w.lines, single(span(Plain, "        "), line, w.width)...)
		for _, p := range o.Preview {
			w.lines = append(w.lines, hung(label(""), theirs(p, Dim), w.width)...)
		}
	}
	if open && r.draft.answers[at].words != "" {
		w.one("you say", card.Of(r.draft.answers[at].words))
	}
	if open {
		hint := q.Hint
		if current && !m.typed {
			hint += ": w writes"
		}
		w.add(label("").with(Dim, "  "+hint))
	}
}
