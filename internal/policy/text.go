package policy

import (
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
	if strings.IndexFunc(s, quotedOtherwise) < 0 {
		return append(append(append(text, '"'), s...), '"')
	}
	return strconv.AppendQuoteToASCII(text, s)
}

// quotedOtherwise reports whether r looks different in quotes.
func quotedOtherwise(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }

// longest is how many bytes of a text a sentence shows.
const longest = 120

// plain shows a word of a command.
func plain(word string) string { return string(appendPlain(nil, word)) }

// appendPlain shows words of a command so that none can run into the next: one
// that holds more than plain characters is quoted whole.
func appendPlain(text []byte, argv ...string) []byte {
	for i, word := range argv {
		if i > 0 {
			text = append(text, ' ')
		}
		if needsQuotes(word) {
			text = strconv.AppendQuoteToASCII(text, word)
		} else {
			text = append(text, word...)
		}
	}
	return text
}

func needsQuotes(word string) bool {
	for i := range len(word) {
		switch c := word[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-_./:=@%+,", c) >= 0:
		default:
			return true
		}
	}
	return word == ""
}

// visible makes the hidden bytes of a text visible without quoting it.
func visible(s string) string {
	quoted := strconv.QuoteToGraphic(s)
	return quoted[1 : len(quoted)-1]
}
