package shell

import "strings"

// begin notes that a word begins, if none has.
func (g *guard) begin(l *line) {
	if l.word < 0 {
		l.word, l.plain, l.bracket = g.i, true, false
	}
}

// wordByte reads one byte of a word, or whatever begins with it.
func (g *guard) wordByte(l *line, c byte) string {
	if c == '#' && l.word < 0 {
		return g.comment(l)
	}
	if c == '\\' && g.peek(g.i+1) == '\n' {
		return g.continuation(l)
	}
	if l.regex && strings.IndexByte("\\'`{}", c) >= 0 {
		return "has a regular expression that shells read in different ways"
	}
	g.begin(l)
	switch c {
	case '\\':
		l.plain = false
		if g.i+1 >= g.end {
			return "ends in a backslash"
		}
		g.i++
	case '\'':
		l.plain = false
		g.census.add(kindSingle, uint(g.i))
		length := strings.IndexByte(g.text[g.i+1:g.end], '\'')
		if length < 0 {
			return whyUnparsed
		}
		if len(l.pending) > 0 && strings.IndexByte(g.text[g.i+1:g.i+1+length], '\n') >= 0 {
			return "has a heredoc that begins inside a word"
		}
		g.i += length + 1
	case '"':
		l.plain = false
		g.census.add(kindDouble, uint(g.i))
		return g.nested(l, g.i+1, g.doubleQuoted)
	case '$':
		l.plain = false
		return g.nested(l, g.i, func() string { return g.dollar(false) })
	case '`':
		l.plain = false
		return g.nested(l, g.i, func() string { return g.backquotes(false) })
	case '[':
		return g.bracket(l)
	case '{':
		if g.braces++; g.braces > maxBraces {
			return "has too many braces"
		}
		if l.word == g.i && g.endsWord(g.i+1) && (!l.first || g.zsh) {
			return whyCompound
		}
	}
	for g.i++; g.i < g.end && isNameByte(g.text[g.i]); g.i++ { // a word goes on with what is never special
	}
	return ""
}

// continuation reads a backslash-newline between words or inside a plain one. Everywhere else one
// shell or another does not join the lines.
func (g *guard) continuation(l *line) string {
	before, after := byte('\n'), g.peek(g.i+2)
	if g.i > 0 {
		before = g.text[g.i-1]
	}
	switch {
	case len(l.pending) > 0:
		return "has a line continuation in front of a heredoc"
	case after == '#':
		return "has a # behind a line continuation"
	case after == '(':
		return "has a line continuation in front of a parenthesis"
	case l.word < 0 && strings.IndexByte(" \t\n", before) >= 0:
	case l.word >= 0 && !l.inTest && (isPlain(before) || before == '\'' || before == '"') &&
		(isPlain(after) || after == 0 || strings.IndexByte(" \t\n'\"", after) >= 0):
	default:
		return "has a line continuation where shells disagree"
	}
	g.i += 2
	return ""
}

// isPlain reports whether c stands for itself wherever it stands in a word.
func isPlain(c byte) bool { return isNameByte(c) || strings.IndexByte("./-,:@%+", c) >= 0 }

// bracket reads a [ that is a command, or part of a word.
func (g *guard) bracket(l *line) string {
	alone := l.word == g.i && g.endsWord(g.i+1)
	double := l.word == g.i && g.peek(g.i+1) == '[' && g.endsWord(g.i+2)
	switch {
	case g.zsh && !alone:
		return whyGlob
	case double:
		if g.sh || !l.first {
			return whyGlob
		}
		g.i += 2
		return g.endWord(l)
	case !alone && (l.lead || l.decl) && l.plain && !l.bracket && isName(strings.ReplaceAll(g.text[l.word:g.i], "\\\n", "")):
		return "has a subscript"
	}
	l.bracket = true
	g.i++
	return ""
}

// endWord ends the word being read, if any, and weighs it as a reserved word.
func (g *guard) endWord(l *line) string {
	if l.word < 0 {
		return ""
	}
	begin, first, plain := l.word, l.first, l.plain
	text := strings.ReplaceAll(g.text[begin:g.i], "\\\n", "")
	l.word = -1
	if l.target {
		l.target = false
		return ""
	}
	if l.regex {
		l.regex = false
		return ""
	}
	if l.inTest {
		switch {
		case plain && text == "]]":
			l.inTest = false
		case plain && text == "=~":
			l.regex = true
		}
		return ""
	}
	l.first = false
	if l.fname { // function NAME
		if !plain || !isFunctionName(text) {
			return "has a function with a strange name"
		}
		l.fname = false
		l.first, l.lead = true, true
		return ""
	}
	if l.lead && isAssignment(text) {
		return "" // an assignment, and no reserved word follows it
	}
	l.lead = false
	if l.head > 0 {
		if l.head--; l.head == 0 {
			if !plain || text != "in" {
				return whyUnparsed
			}
			l.pattern = true
		}
		return ""
	}
	if l.pattern {
		if plain && !l.paren && text == "esac" {
			l.cases, l.pattern = l.cases-1, false
		}
		return ""
	}
	if !plain || !first {
		return ""
	}
	return g.reserved(l, text)
}

// isAssignment reports whether a word that begins a command is an assignment.
func isAssignment(word string) bool {
	name, _, found := strings.Cut(word, "=")
	return found && isName(strings.TrimSuffix(name, "+"))
}

// reserved weighs a plain word where a reserved one would be.
func (g *guard) reserved(l *line, word string) string {
	switch word {
	case "if", "while", "until", "{", "!", "time", "for", "select", "function", "[[", "case":
		if g.keywords++; g.keywords > maxKeywords {
			return "has too many reserved words"
		}
	}
	switch word {
	case "if", "then", "elif", "else", "while", "until", "do", "{", "!", "time":
		l.first, l.lead = true, true
	case "function":
		if !g.sh && !g.zsh {
			l.fname = true
		}
	case "case":
		l.cases++
		l.head = 2
	case "esac":
		if l.cases == 0 {
			return whyUnparsed
		}
		l.cases--
	case "[[":
		l.inTest = true
	case "let", "coproc":
		if !g.sh {
			return "has " + word + ", which evaluates what it is given"
		}
	case "export", "declare", "local", "readonly", "typeset", "nameref":
		l.decl = true
	}
	return ""
}

// comment reads one up to the end of its line.
func (g *guard) comment(l *line) string {
	if g.zsh {
		return "has a comment, which zsh may read as words"
	}
	if l.inTest {
		return "has a test that is not simple"
	}
	end := g.end
	if length := strings.IndexByte(g.text[g.i:g.end], '\n'); length >= 0 {
		if end = g.i + length; g.text[end-1] == '\\' {
			// The parser joins the next line to the command before the comment; shells do not.
			return "has a comment that ends in a backslash"
		}
	}
	if l.within && strings.ContainsAny(g.text[g.i:end], "'\"`()\\$<") {
		return "has a comment inside a substitution that old shells read as words"
	}
	g.i = end
	return ""
}
