package card

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text is a line of somebody else's text, made visible: no character in it moves a
// cursor, changes the direction of others, or takes no room. Such a character is a
// segment of its own that says <U+XXXX>; a byte that is no UTF-8 says <0xXX>; and a
// "<" that would begin the like is itself written <U+003C>, so two texts never look
// the same: a newline, which ends a command, is not mistaken for a backslash and an n,
// which do not. (Backslash escapes would have to double each backslash, and commands
// are full of those.) Markup is left as it is: a surface that has one escapes it.
type Text []Segment

// Segment is a part of a Text. Escape says that it stands for what would not be seen,
// so that a surface that can set it apart.
type Segment struct {
	Text   string
	Escape bool
}

// Of makes a text visible, as one line.
func Of(s string) Text {
	var t Text
	eachSegment(s, func(part string, escape bool) { t = append(t, Segment{part, escape}) })
	return t
}

// String is the text without what sets its escapes apart.
func (t Text) String() string {
	var b strings.Builder
	for _, s := range t {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Escaped reports whether something in the text would not have been seen.
func (t Text) Escaped() bool {
	for _, s := range t {
		if s.Escape {
			return true
		}
	}
	return false
}

// Visible is Of as a string.
func Visible(s string) string {
	var b strings.Builder
	eachSegment(s, func(part string, _ bool) { b.WriteString(part) })
	return b.String()
}

// VisibleLines is Visible for a text whose lines are to be lines: the caller marks
// each, so that none passes for the program's own.
func VisibleLines(s string) []string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = Visible(line)
	}
	return lines
}

// eachSegment cuts a text into what is seen and what has to be written out.
func eachSegment(s string, yield func(part string, escape bool)) {
	plain := 0 // where the part begins that can stay
	cut := func(at, next int, escape string) {
		if plain < at {
			yield(s[plain:at], false)
		}
		yield(escape, true)
		plain = next
	}
	marks := mostMarks // in a row; there is nothing yet that one could stand on
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			cut(i, i+size, fmt.Sprintf("<0x%02X>", s[i]))
			marks = mostMarks
		case piled(r, &marks):
			cut(i, i+size, fmt.Sprintf("<U+%04X>", r))
		case hidden(r), r == '<' && beginsEscape(s[i:]):
			cut(i, i+size, fmt.Sprintf("<U+%04X>", r))
		}
		i += size
	}
	if plain < len(s) {
		yield(s[plain:], false)
	}
}

// VisibleJSON is the same for JSON, in JSON's own escapes. Outside of strings
// JSON has no character that is hidden, so the value stays the same.
func VisibleJSON(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		if plain := plainASCII(text); plain > 0 { // nearly all of it, and there may be much
			out, text = append(out, text[:plain]...), text[plain:]
			continue
		}
		r, size := utf8.DecodeRune(text)
		if hidden(r) || r == utf8.RuneError { // the latter also for bytes that are no UTF-8
			out = append(out, escapedJSON(r)...)
		} else {
			out = append(out, text[:size]...)
		}
		text = text[size:]
	}
	return out
}

func escapedJSON(r rune) string {
	var b strings.Builder
	for _, unit := range utf16.AppendRune(nil, r) {
		fmt.Fprintf(&b, `\u%04x`, unit)
	}
	return b.String()
}

// plainASCII is how many of the first bytes are characters that are seen.
func plainASCII(text []byte) int {
	for i, c := range text {
		if c < ' ' || c > '~' {
			return i
		}
	}
	return len(text)
}

// hidden reports whether a character is not seen for what it is: controls,
// format characters (direction, zero width), unassigned ones, spaces other than
// the space, what fonts leave out, and letters that pairs of make a flag.
func hidden(r rune) bool {
	const brailleBlank = '\u2800' // a symbol without ink
	return !strconv.IsPrint(r) || r == brailleBlank || r >= '\U0001F1E6' && r <= '\U0001F1FF' ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// mostMarks is how many marks one character bears in any language, and one more.
const mostMarks = 4

// piled reports whether a character is a mark that stands on nothing, so that it would
// strike through what is not its own, or on top of so many that it could bury what is
// around it. marks counts those in a row.
func piled(r rune, marks *int) bool {
	switch {
	case r > ' ' && r <= '~': // most
		*marks = 0
	case r >= 0x300 && unicode.In(r, unicode.Mn, unicode.Me):
		*marks++
		return *marks > mostMarks
	case r <= ' ' || hidden(r):
		*marks = mostMarks
	default:
		*marks = 0
	}
	return false
}

// IsHidden reports whether a character is not seen for what it is. A surface may ask it as
// the last thing before a text leaves.
func IsHidden(r rune) bool { return hidden(r) }

func beginsEscape(s string) bool {
	return strings.HasPrefix(s, "<U+") || strings.HasPrefix(s, "<0x")
}

// Clip cuts a visible line to a width, and says so.
func Clip(line string, width int) string {
	runes := []rune(line)
	if len(runes) <= width {
		return line
	}
	return fmt.Sprintf("%s… (%d more)", string(runes[:width]), len(runes)-width)
}
