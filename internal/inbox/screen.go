package inbox

import (
	"strings"
	"unicode"

	textwidth "golang.org/x/text/width"

	"github.com/approvald/approvald/internal/card"
)

// Screen is what is to be seen, line by line, without what a terminal is told to make
// it so.
type Screen struct {
	Lines []Line
	// Cursor is where text is being written, nil for nowhere.
	Cursor *Point
}

// Point is a place on a screen, from 0.
type Point struct{ X, Y int }

// Line is one line. It has no line end and no control characters.
type Line []Span

// Span is a part of a line in one style.
type Span struct {
	Text  string
	Style Style
}

// Style is how a span is set. Without colours each is still told apart by its words or
// marks.
type Style uint8

// The styles. There is one accent, for what is selected or whose turn it is.
const (
	Plain Style = iota
	Said        // somebody's prose, as plain
	Dim
	Strong
	Accent
	Good
	Warn
	Bad
	Hidden // stands for a character that would not be seen
	Marked // the row that is selected
)

// String is the line without its styles.
func (l Line) String() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return b.String()
}

func span(style Style, text string) Line { return Line{{text, style}} }

// with is the line with more behind it.
func (l Line) with(style Style, text string) Line { return append(l, Span{text, style}) }

// theirs are the spans of somebody else's text.
func theirs(t card.Text, style Style) Line {
	l := make(Line, len(t))
	for i, s := range t {
		l[i] = Span{s.Text, style}
		if s.Escape {
			l[i].Style = Hidden
		}
	}
	return l
}

// width is how many columns a text takes.
func width(s string) (n int) {
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// lately are the symbols that Unicode 16 has made wide: where a terminal has not heard of
// that, they leave a gap.
var lately = &unicode.RangeTable{
	R16: []unicode.Range16{{0x2630, 0x2637, 1}, {0x268a, 0x268f, 1}, {0x4dc0, 0x4dff, 1}},
	R32: []unicode.Range32{{0x1d300, 0x1d356, 1}, {0x1d360, 0x1d376, 1}},
}

func runeWidth(r rune) int {
	switch {
	case r < 0x300: // most, and none of the others
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case unicode.Is(lately, r):
		return 2
	}
	if kind := textwidth.LookupRune(r).Kind(); kind == textwidth.EastAsianWide || kind == textwidth.EastAsianFullwidth {
		return 2
	}
	return 1
}

func (l Line) width() (n int) {
	for _, s := range l {
		n += width(s.Text)
	}
	return n
}

// cut is the beginning of a text that takes no more than n columns, and the rest.
func cut(s string, n int) (head, rest string) {
	for i, r := range s {
		if n -= runeWidth(r); n < 0 {
			return s[:i], s[i:]
		}
	}
	return s, ""
}

// fit makes a line exactly n columns wide, with a … where something is left out.
func (l Line) fit(n int) Line {
	room := n
	if l.width() > n {
		room = n - 1
	}
	var out Line
	used := 0
	for _, s := range l {
		head, rest := cut(s.Text, room-used)
		if head != "" {
			out = append(out, Span{head, s.Style})
			used += width(head)
		}
		if rest != "" {
			break
		}
	}
	if room < n && n > 0 {
		out = append(out, Span{"…", Dim})
		used++
	}
	if used < n {
		out = append(out, Span{strings.Repeat(" ", n-used), Plain})
	}
	return out
}

// spread sets one line at the left and one at the right of n columns.
func spread(left, right Line, n int) Line {
	gap := n - right.width()
	if gap <= 0 {
		return left.fit(n)
	}
	return append(left.fit(gap), right...)
}

// wrap breaks a line into lines of at most n columns, anywhere: what is to be read
// character by character has no words.
func (l Line) wrap(n int) []Line { return l.broken(n, cut) }

// prose breaks a line between words, where there are any.
func (l Line) prose(n int) []Line {
	return l.broken(n, func(s string, room int) (head, rest string) {
		head, rest = cut(s, room)
		if at := strings.LastIndexByte(head, ' '); rest != "" && at > 0 && at > len(head)/2 {
			return s[:at+1], s[at+1:]
		}
		return head, rest
	})
}

func (l Line) broken(n int, cut func(string, int) (head, rest string)) []Line {
	lines := []Line{nil}
	room := n
	for _, s := range l {
		for text := s.Text; text != ""; {
			head, rest := cut(text, room)
			if head == "" && room == n { // wider than the room there is
				head, rest = text, ""
			}
			if head != "" {
				last := &lines[len(lines)-1]
				*last = append(*last, Span{head, s.Style})
				room -= width(head)
			}
			if rest != "" {
				lines, room = append(lines, nil), n
			}
			text = rest
		}
	}
	return lines
}

// words wraps our own text at spaces.
func words(style Style, text string, n int) []Line {
	var lines []Line
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && width(line)+1+width(word) > n {
			lines, line = append(lines, span(style, line)), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	lines = append(lines, span(style, line))
	var out []Line
	for _, l := range lines {
		out = append(out, l.wrap(n)...)
	}
	return out
}

// clipped is the beginning of a text, with a … where it goes on.
func clipped(s string, n int) string {
	if width(s) <= n {
		return s
	}
	head, _ := cut(s, n-1)
	return head + "…"
}

// column is a text in exactly n columns.
func column(s string, n int) string {
	s = clipped(s, n)
	return s + strings.Repeat(" ", max(0, n-width(s)))
}

// rule is a line across, with a word at its end.
func rule(n int, word string) Line {
	if word != "" {
		word = " " + word + " "
	}
	return Line{{strings.Repeat("─", max(0, n-width(word)-2)), Dim}, {word, Dim}, {"──", Dim}}.fit(n)
}

// window is the part of lines that n lines have room for, from the one at top; before
// and after are how many are not in it.
func window[T any](lines []T, top, n int) (seen []T, before, after int) {
	top = max(0, min(top, len(lines)-n))
	end := min(len(lines), top+max(0, n))
	return lines[top:end], top, len(lines) - end
}

// padded is lines, and empty ones up to n.
func padded(lines []Line, n int) []Line {
	for len(lines) < n {
		lines = append(lines, nil)
	}
	return lines[:max(0, n)]
}
