package policy

import (
	"slices"
	"strconv"
	"strings"
)

// quote shows untrusted text inside a sentence: in quotes, hidden bytes
// visible, not longer than a reader's patience.
func quote(s string) string { return string(appendQuote(nil, s)) }

func appendQuote(text []byte, s string) []byte {
	if len(s) > longest {
		text = strconv.AppendQuoteToASCII(text, strings.ToValidUTF8(s[:longest], ""))
		return append(text, "…"...)
	}
	return strconv.AppendQuoteToASCII(text, s)
}

// longest is how many bytes of a text a sentence shows.
const longest = 120

// appendClipped shows a text that is ASCII already.
func appendClipped(text []byte, s string) []byte {
	if len(s) > longest {
		return append(append(text, s[:longest]...), "…"...)
	}
	return append(text, s...)
}

// plain shows a word of a command so that it cannot run into the next: one
// that holds more than plain characters is quoted whole.
func plain(word string) string {
	if needsQuotes(word) {
		return strconv.QuoteToASCII(word)
	}
	return word
}

func needsQuotes(word string) bool { return word == "" || strings.ContainsFunc(word, notPlain) }

func notPlain(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return false
	}
	return !strings.ContainsRune("-_./:=@%+,", r)
}

// joinWords puts words one behind the other, whatever they hold.
func joinWords(argv []string) string { return strings.Join(argv, " ") }

// plainWords shows an argv.
func plainWords(argv []string) string {
	if !slices.ContainsFunc(argv, needsQuotes) {
		return joinWords(argv)
	}
	shown := make([]string, len(argv))
	for i, word := range argv {
		shown[i] = plain(word)
	}
	return joinWords(shown)
}

// visible makes the hidden bytes of a text visible without quoting it.
func visible(s string) string {
	quoted := strconv.QuoteToGraphic(s)
	return quoted[1 : len(quoted)-1]
}
