package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// visible makes a text of somebody else's safe and honest on a terminal: it is
// one line, and no character in it moves the cursor, changes the direction of
// others, or takes no room. Such a character is written <U+XXXX>, a byte that
// is no UTF-8 <0xXX>, and a "<" that would begin the like is itself written
// <U+003C>, so two texts never look the same: a newline, which ends a command,
// is not mistaken for a backslash and an n, which do not. (Backslash escapes
// would have to double each backslash, and commands are full of those.)
func visible(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, "<0x%02X>", s[i])
		case hidden(r), r == '<' && beginsEscape(s[i:]):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

// visibleLines is visible for a text whose lines are to be lines: the caller
// marks each, so that none passes for the program's own.
func visibleLines(s string) []string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = visible(line)
	}
	return lines
}

// visibleJSON is the same for JSON, in JSON's own escapes. Outside of strings
// JSON has no character that is hidden, so the value stays the same.
func visibleJSON(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		if plain := plainASCII(text); plain > 0 { // nearly all of it, and there may be much
			out, text = append(out, text[:plain]...), text[plain:]
			continue
		}
		r, size := utf8.DecodeRune(text)
		if hidden(r) || r == utf8.RuneError { // the latter also for bytes that are no UTF-8
			for _, unit := range utf16.AppendRune(nil, r) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		} else {
			out = append(out, text[:size]...)
		}
		text = text[size:]
	}
	return out
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
// the space, and what fonts leave out.
func hidden(r rune) bool {
	const brailleBlank = '\u2800' // a symbol without ink
	return !strconv.IsPrint(r) || r == brailleBlank ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

func beginsEscape(s string) bool {
	return strings.HasPrefix(s, "<U+") || strings.HasPrefix(s, "<0x")
}

// clip cuts a line that visible made to a width, and says so.
func clip(line string, width int) string {
	runes := []rune(line)
	if len(runes) <= width {
		return line
	}
	return fmt.Sprintf("%s… (%d more)", string(runes[:width]), len(runes)-width)
}
