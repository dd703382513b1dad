package shell

import "strings"

// Reasons that more than one place gives.
const (
	whyUnparsed   = "does not parse"
	whyGlob       = "has a glob pattern"
	whyExpansion  = "has an expansion or a substitution"
	whyArithmetic = "has arithmetic that is not simple"
	whyCompound   = "has a compound command or a declaration"
)

// Bounds of a text that reaches the parser. It recurses for every one of these.
const (
	maxDepth    = 32  // of parentheses, substitutions, and quotes in each other
	maxKeywords = 512 // reserved words that open something
	maxBraces   = 256 // characters {

	maxArithmetic = 64 // bytes of one expression
)

// guard reads a text before the parser does and says why it may not have it, or "".
//
// It keeps hostile text from the parser, which cannot be trusted with it. mvdan.cc/sh v3.14.1 never
// returns from `=fi(($]]`, panics on "<<i$f[~ \n" read as zsh, and needs 256 MiB of stack for 64 KiB
// of "(". It also keeps away what the parser, bash and dash are known to read in different ways:
// a continuation in odd places, arithmetic over names, subscripts, extended globs.
//
// And it is a second opinion. It counts every quote, substitution and subshell that it sees, with
// their places, and a text in which the parser sees others is opaque (census).
type guard struct {
	text  string
	i     int // of the byte to read next
	end   int // the text that may be read ends here
	sh    bool
	zsh   bool
	depth int

	*tally
}

// tally is what a guard shares with those that it starts for the text in backquotes.
type tally struct {
	census   census
	keywords int
	braces   int
}

// census is a fingerprint of where quotes, substitutions and subshells begin.
type census struct {
	n   int
	sum uint64
}

// Kinds in a census.
const (
	kindSingle uint = 1 + iota
	kindDouble
	kindCommand
	kindProcess
	kindParameter
	kindArithmetic
	kindSubshell
	kindHeredoc
)

func (c *census) add(kind, offset uint) {
	c.n++
	x := uint64(offset<<4|kind) * 0x9E3779B97F4A7C15
	x ^= x >> 29 // so that two differences do not cancel in the sum
	c.sum += x * 0xBF58476D1CE4E5B9
}

// untilEnd closes a level where its text ends.
const untilEnd = 0

// scan says why command may not be parsed, or "", and what it saw.
func scan(command string, sh, zsh bool) (census, string) {
	g := guard{text: command, end: len(command), sh: sh, zsh: zsh, tally: &tally{}}
	why := g.commands(untilEnd, false)
	return g.census, why
}

// peek is the byte at offset i, or 0 where the text has ended.
func (g *guard) peek(i int) byte {
	if i < g.end {
		return g.text[i]
	}
	return 0
}

// deeper runs read one level down.
func (g *guard) deeper(read func() string) string {
	if g.depth == maxDepth {
		return "is nested too deeply"
	}
	g.depth++
	why := read()
	g.depth--
	return why
}

// endsWord reports whether a word ends in front of the byte at i.
func (g *guard) endsWord(i int) bool {
	return i >= g.end || strings.IndexByte(" \t\n;|&<>()", g.text[i]) >= 0
}

func isNameStart(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isNameByte(c byte) bool { return isNameStart(c) || isDigit(c) }

func isName(s string) bool {
	if s == "" || !isNameStart(s[0]) {
		return false
	}
	for i := range len(s) {
		if !isNameByte(s[i]) {
			return false
		}
	}
	return true
}
