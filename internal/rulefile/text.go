package rulefile

import (
	"strings"
	"unicode"
)

// invisible is the first character of text that a reader of the file would not
// see or would see elsewhere: controls, zero-width and bidirectional marks,
// separators of lines. A rule that holds one is not the rule that it looks
// like, and what policy compares never holds one honestly.
func invisible(text string) (rune, bool) {
	for _, r := range text {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return r, true
		}
	}
	return 0, false
}

// quote writes text as a TOML basic string. What a reader cannot see is
// escaped, so that the text is one line and is read back as it was.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
			b.WriteString(escaped(r))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// escaped is r as TOML escapes it: \uXXXX, or \UXXXXXXXX beyond.
func escaped(r rune) string {
	const hex = "0123456789ABCDEF"
	digits, b := 4, []byte(`\u`)
	if r > 0xFFFF {
		digits, b = 8, []byte(`\U`)
	}
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		b = append(b, hex[r>>shift&0xF])
	}
	return string(b)
}

// quoteList writes a list of texts as TOML.
func quoteList(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = quote(text)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// either lists values as a choice: "a", "b" or "c".
func either(values []string) string {
	quoted := make([]string, len(values))
	for i, value := range values {
		quoted[i] = quote(value)
	}
	if len(quoted) == 1 {
		return quoted[0]
	}
	last := len(quoted) - 1
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}

// listed lists names in a sentence: a, b and c.
func listed(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// nearest is the one of names that text was probably meant to be: the same
// letters in another case or with other separators, one or two letters off, or
// the name with more behind it.
func nearest(text string, names []string) (string, bool) {
	plain := func(s string) string { return strings.ToLower(separators.Replace(s)) }
	if len(text) > 40 {
		return "", false
	}
	best, least := "", 3
	for _, name := range names {
		if plain(text) == plain(name) {
			return name, true
		}
		if d := distance(plain(text), plain(name)); d < least && d*3 <= len(name) {
			best, least = name, d
		}
		if best == "" && len(name) >= 4 && strings.HasPrefix(plain(text), plain(name)) {
			best = name
		}
	}
	return best, best != ""
}

// separators are what people put between the words of a name.
var separators = strings.NewReplacer("-", "", "_", "", " ", "")

// distance is the number of letters to add, leave out or change that makes a
// into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
