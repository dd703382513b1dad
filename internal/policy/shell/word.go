package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word removes the quotes of w as the shell does, or says why w is not static, that is, why its
// value depends on more than its own text.
func word(w *syntax.Word, zsh bool) (value, why string) {
	// Alone in its word a bracket is no pattern in any shell: it is the test command, or its end.
	if lit := w.Lit(); lit == "[" || lit == "]" {
		return lit, ""
	}
	d := decoder{zsh: zsh}
	for _, part := range w.Parts {
		why := whyExpansion
		switch part := part.(type) {
		case *syntax.Lit:
			why = d.unquoted(part.Value)
		case *syntax.SglQuoted:
			if !part.Dollar {
				d.value = append(d.value, part.Value...)
				why = ""
			}
		case *syntax.DblQuoted:
			if !part.Dollar {
				why = d.doubleQuoted(part)
			}
		}
		if why != "" {
			return "", why
		}
	}
	value = string(d.value)
	if d.brace && (strings.Contains(value, ",") || strings.Contains(value, "..")) {
		return "", "has a brace expansion"
	}
	return value, ""
}

// decoder undoes the quoting of one word. Its methods return why the word is not static, or "".
type decoder struct {
	zsh   bool
	value []byte // decoded so far
	brace bool   // an unquoted { was seen
}

// unquoted decodes text that stands outside quotes.
func (d *decoder) unquoted(text string) string {
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch c {
		case '\\':
			if i++; i == len(text) || text[i] == '\n' {
				// The parser leaves a continuation in place behind an escaped backslash.
				return "ends in a backslash"
			}
			d.value = append(d.value, text[i])
			continue
		case '*', '?', '[':
			return whyGlob
		case '$', '`':
			return whyExpansion
		case '{':
			d.brace = true
		case '~':
			// Bash expands one after = or : too, in whatever looks like an assignment.
			if n := len(d.value); n == 0 || d.value[n-1] == '=' || d.value[n-1] == ':' {
				return "has a tilde"
			}
		case 0x85, 0xA0:
			// Inside a longer character, and yet some C libraries call the byte a blank.
			return "has an unquoted character that some shells split"
		}
		if d.zsh && !plainInZsh(c, len(d.value) == 0) {
			return "has an unquoted character that is special in zsh"
		}
		d.value = append(d.value, c)
	}
	return ""
}

// plainInZsh reports whether zsh takes an unquoted c for itself under every option that a start-up
// file may have set; first says that c begins the word, where = is special (=cmd).
func plainInZsh(c byte, first bool) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	case c == '=':
		return !first
	default:
		return strings.IndexByte("_-./,:@%+", c) >= 0
	}
}

// doubleQuoted decodes a string in double quotes.
func (d *decoder) doubleQuoted(q *syntax.DblQuoted) string {
	for _, part := range q.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			return whyExpansion
		}
		for i := 0; i < len(lit.Value); i++ {
			// Before any other character a backslash stands for itself.
			if rest := lit.Value[i:]; len(rest) > 1 && rest[0] == '\\' && strings.IndexByte("$`\"\\", rest[1]) >= 0 {
				i++
			}
			d.value = append(d.value, lit.Value[i])
		}
	}
	return ""
}
