package policy

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quote shows untrusted text inside a sentence: in quotes, hidden bytes
// visible, not longer than a reader's patience.
func quote(s string) string {
	if len(s) > longest {
		return strconv.QuoteToASCII(strings.ToValidUTF8(s[:longest], "")) + "…"
	}
	return strconv.QuoteToASCII(s)
}

// longest is how many bytes of a text a sentence shows.
const longest = 120

// clip shortens a text that is ASCII already.
func clip(s string) string {
	if len(s) > longest {
		return s[:longest] + "…"
	}
	return s
}

// sentence makes a sentence of its part.
func sentence(part string) string {
	return strings.TrimSuffix(capital(part), ".") + "."
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// plain shows a word of a command so that it cannot run into the next: one
// that holds more than plain characters is quoted whole.
func plain(word string) string {
	if word == "" || strings.ContainsFunc(word, notPlain) {
		return strconv.QuoteToASCII(word)
	}
	return word
}

func notPlain(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return false
	}
	return !strings.ContainsRune("-_./:=@%+,", r)
}

// joinWords is a text that is no list of words, such as that of an opaque stage.
func joinWords(argv []string) string { return strings.Join(argv, " ") }

// plainWords shows an argv.
func plainWords(argv []string) string {
	shown := make([]string, len(argv))
	for i, word := range argv {
		shown[i] = plain(word)
	}
	return strings.Join(shown, " ")
}

// visible makes the hidden bytes of a text visible without quoting it.
func visible(s string) string {
	quoted := strconv.QuoteToGraphic(s)
	return quoted[1 : len(quoted)-1]
}
