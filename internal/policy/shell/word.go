package shell

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// word is one word of a command as far as its text tells.
type word struct {
	text    string // after quote removal; source text where dynamic
	dynamic bool   // only the running shell knows it

	// Of a dynamic word only:
	lead   string // what it begins with for certain, after quote removal
	tame   bool   // it does not begin with a dash, though lead is empty
	splits bool   // it may become no word or several, any of which may be an option
	multi  bool   // it may become several words

	bare bool // of a static word: it was written without quotes or escapes
}

// mayBeOption reports whether the program may take w, or a part of it, for an option.
func (w word) mayBeOption() bool {
	switch {
	case !w.dynamic:
		return len(w.text) > 1 && w.text[0] == '-'
	case w.splits:
		return true
	case w.lead == "":
		return !w.tame
	}
	return w.lead[0] == '-'
}

// decoder undoes the quoting of the words of one text.
type decoder struct {
	text    string
	variant syntax.LangVariant
	// tame are the variables whose values are known not to begin with a dash nor to be split, besides
	// HOME and PWD, which are paths.
	tame map[string]bool

	buffer []word // of words
}

// words decodes a list of words. A static brace list becomes several. The result is good until the
// next call.
func (d *decoder) words(list []*syntax.Word) []word {
	out := slices.Grow(d.buffer[:0], len(list))
	for _, w := range list {
		if text, bare := bareText(w); bare {
			out = append(out, word{text: text, bare: true})
			continue
		}
		if lit := w.Lit(); lit != "" && d.variant == syntax.LangBash && strings.IndexByte(lit, '{') >= 0 {
			if expanded := expandBraces(lit); expanded != nil {
				for _, text := range expanded {
					out = append(out, word{text: text})
				}
				continue
			}
		}
		out = append(out, d.word(w))
	}
	d.buffer = out
	return out
}

// word decodes one word.
func (d *decoder) word(w *syntax.Word) word {
	// Alone in its word a bracket is no pattern in any shell: it is the test command, or its end.
	if lit := w.Lit(); lit == "[" || lit == "]" {
		return word{text: lit}
	}
	if text, bare := bareText(w); bare {
		return word{text: text, bare: true}
	}
	u := unquoter{decoder: d}
	for i, part := range w.Parts {
		u.part(part, i)
	}
	if u.brace && (strings.Contains(string(u.value), ",") || strings.Contains(string(u.value), "..")) {
		u.unknown(false)
		u.out.multi = true
	}
	if u.dynamic {
		u.out.text, u.out.dynamic = d.source(w), true
		return u.out
	}
	return word{text: string(u.value)}
}

// bareText is the text of a word that is made of plain characters alone, as most are.
func bareText(w *syntax.Word) (text string, bare bool) {
	if len(w.Parts) != 1 {
		return "", false
	}
	lit, ok := w.Parts[0].(*syntax.Lit)
	if !ok {
		return "", false
	}
	for i := range len(lit.Value) {
		if !isPlain(lit.Value[i]) && (lit.Value[i] != '=' || i == 0) {
			return "", false
		}
	}
	return lit.Value, true
}

// source is the text of a node.
func (d *decoder) source(n syntax.Node) string {
	return d.text[n.Pos().Offset():n.End().Offset()]
}

// unquoter decodes one word, up to the first part that is not static and on for its properties.
type unquoter struct {
	*decoder
	value   []byte // decoded so far
	brace   bool   // an unquoted { was seen
	dynamic bool
	out     word
}

// unknown notes that from here on only the shell knows the word.
func (u *unquoter) unknown(splits bool) {
	if !u.dynamic {
		u.dynamic = true
		if !u.brace {
			u.out.lead = string(u.value)
		}
	}
	u.out.splits = u.out.splits || splits
	u.out.multi = u.out.multi || splits
}

func (u *unquoter) part(part syntax.WordPart, index int) {
	switch part := part.(type) {
	case *syntax.Lit:
		u.unquoted(part.Value)
	case *syntax.SglQuoted:
		if !part.Dollar {
			u.value = append(u.value, part.Value...)
		} else if text, ok := ansi(part.Value); ok && u.variant == syntax.LangBash {
			u.value = append(u.value, text...)
		} else {
			u.unknown(false)
		}
	case *syntax.DblQuoted:
		if part.Dollar && u.variant != syntax.LangBash {
			u.unknown(false)
		}
		u.doubleQuoted(part, index)
	case *syntax.ParamExp:
		tame := u.isTame(part)
		u.out.tame = u.out.tame || index == 0 && tame
		u.unknown(!tame)
		u.out.multi = u.out.multi || part.Param.Value == "HOME" || part.Param.Value == "PWD"
	case *syntax.ArithmExp: // over digits: a number
		u.unknown(false)
	default:
		u.unknown(true)
	}
}

// isTame reports whether p is the bare value of a tame variable.
func (u *unquoter) isTame(p *syntax.ParamExp) bool {
	if p.Param == nil || p.Exp != nil || p.Repl != nil || p.Slice != nil || p.Index != nil || p.Excl {
		return false
	}
	name := p.Param.Value
	return u.tame[name] || name == "HOME" || name == "PWD" || p.Length || strings.Contains("?#$!", name)
}

// unquoted decodes text that stands outside quotes.
func (u *unquoter) unquoted(text string) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch c {
		case '\\':
			if i++; i == len(text) || text[i] == '\n' {
				// The parser leaves a continuation in place behind an escaped backslash.
				u.unknown(true)
				return
			}
			u.value = append(u.value, text[i])
			continue
		case '*', '?', '[':
			u.unknown(false) // its words begin with what stands before the pattern
			u.out.multi = true
			continue
		case '{':
			u.brace = true
		case '~':
			// Bash expands one after = or : too, in whatever looks like an assignment.
			if n := len(u.value); n == 0 || u.value[n-1] == '=' || u.value[n-1] == ':' {
				u.out.tame = u.out.tame || n == 0 && !u.dynamic
				u.unknown(false)
				continue
			}
		case 0x85, 0xA0:
			// Inside a longer character, and yet some C libraries call the byte a blank.
			u.unknown(true)
		}
		if u.variant == syntax.LangZsh && !plainInZsh(c, len(u.value) == 0) {
			u.unknown(true)
		}
		u.value = append(u.value, c)
	}
}

// plainInZsh reports whether zsh takes an unquoted c for itself under every option that a start-up
// file may have set; first says that c begins the word, where = is special (=cmd).
func plainInZsh(c byte, first bool) bool {
	switch {
	case isNameStart(c) || isDigit(c):
		return true
	case c == '=':
		return !first
	default:
		return strings.IndexByte("-./,:@%+", c) >= 0
	}
}

// doubleQuoted decodes a string in double quotes.
func (u *unquoter) doubleQuoted(q *syntax.DblQuoted, index int) {
	for i, part := range q.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			u.value = appendEscaped(u.value, part.Value)
		case *syntax.ParamExp:
			u.out.tame = u.out.tame || index == 0 && i == 0 && u.isTame(part)
			// "$@" and "${a[@]}" are the only ones that become several words here.
			u.unknown(part.Param != nil && part.Param.Value == "@" || part.Index != nil || part.Exp != nil && !isOneWord(part))
		default:
			u.unknown(false)
		}
	}
}

// isOneWord reports whether an expansion in double quotes is one word for certain: a variable or some
// plain text in its place, or a part of it.
func isOneWord(p *syntax.ParamExp) bool {
	if p.Param == nil || !isName(p.Param.Value) || p.Excl {
		return false
	}
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AlternateUnset, syntax.AlternateUnsetOrNull,
		syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
	default:
		return false
	}
	if p.Exp.Word == nil {
		return true
	}
	for _, part := range p.Exp.Word.Parts {
		if _, plain := part.(*syntax.Lit); !plain {
			return false
		}
	}
	return true
}

// appendEscaped decodes the backslashes of text in double quotes or a heredoc: before any character
// but these one stands for itself.
func appendEscaped(value []byte, text string) []byte {
	for i := 0; i < len(text); i++ {
		if rest := text[i:]; len(rest) > 1 && rest[0] == '\\' && strings.IndexByte("$`\"\\", rest[1]) >= 0 {
			i++
		}
		value = append(value, text[i])
	}
	return value
}

// ansi decodes the text of $'…'. It gives up on what depends on the locale, and on what no argument
// can hold or no eye can see.
func ansi(text string) (string, bool) {
	var b []byte
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			b = append(b, text[i])
			continue
		}
		if i++; i == len(text) {
			return "", false
		}
		if at := strings.IndexByte(`\'"?abeEfnrtv`, text[i]); at >= 0 {
			b = append(b, "\\'\"?\a\b\x1b\x1b\f\n\r\t\v"[at])
			continue
		}
		base, digits := rune(8), 3
		switch text[i] {
		case 'x':
			base, digits = 16, 2
			i++
		case 'u', 'U':
			base, digits = 16, 4
			if text[i] == 'U' {
				digits = 8
			}
			i++
		}
		value, n := number(text[i:], base, digits)
		if n == 0 || value == 0 || value >= utf8.RuneSelf {
			return "", false
		}
		b = utf8.AppendRune(b, value)
		i += n - 1
	}
	decoded := string(b)
	return decoded, utf8.ValidString(decoded) && strings.IndexFunc(decoded, hidden) < 0
}

// number reads up to digits digits and says how many there were.
func number(text string, base rune, digits int) (value rune, n int) {
	for n < min(digits, len(text)) {
		digit := rune(text[n] - '0')
		if !isDigit(text[n]) {
			digit = rune(text[n]|0x20) - 'a' + 10
		}
		if digit < 0 || digit >= base || !isNameByte(text[n]) {
			break
		}
		value = value*base + digit
		n++
	}
	return value, n
}
