package shell

import "strings"

// line is what a guard knows while it reads the commands of one level.
type line struct {
	close  byte // ends the level: ')' or untilEnd
	within bool // inside $(…), <(…) or backquotes

	word    int  // where the word began that is being read; -1: between words
	plain   bool // the word has no quote, escape or expansion so far
	bracket bool // the word has a [ already
	target  bool // the next word is that of a redirection

	first   bool // the next word may be reserved
	lead    bool // no command word yet: an assignment is one
	decl    bool // the command takes assignments as operands
	fname   bool // the next word is the name of a function
	cases   int  // case clauses that are open
	head    int  // words up to the first pattern of a case: its subject, and in
	pattern bool // inside the pattern of a case, up to its )
	paren   bool // … behind its (
	inTest  bool // inside [[ ]]
	regex   bool // the next word is a regular expression
	pending []heredoc
}

// commands reads up to the byte that closes the level, and that too.
func (g *guard) commands(closing byte, within bool) string {
	l := line{close: closing, within: within, word: -1, first: true, lead: true}
	for g.i < g.end {
		c := g.text[g.i]
		var why string
		switch c {
		case ' ', '\t':
			why = g.endWord(&l)
			g.i++
		case '\n':
			why = g.newline(&l)
		case ';', '&', '|':
			why = g.operator(&l)
		case '<', '>':
			why = g.redirection(&l)
		case '(':
			why = g.open(&l)
		case ')':
			if why = g.endWord(&l); why != "" {
				break
			}
			closes, refused := g.closes(&l)
			if closes {
				return refused
			}
			why = refused
		default:
			why = g.wordByte(&l, c)
		}
		if why != "" {
			return why
		}
	}
	if why := g.endWord(&l); why != "" {
		return why
	}
	if len(l.pending) > 0 {
		return "has a heredoc that does not end"
	}
	if l.close != untilEnd || l.inTest {
		return whyUnparsed
	}
	return ""
}

// closes reads a ) and reports whether it ends the level; otherwise it ends a pattern.
func (g *guard) closes(l *line) (level bool, why string) {
	switch {
	case l.pattern && !l.paren && l.close == ')':
		return false, "has a case pattern inside parentheses with none of its own"
	case l.pattern:
		l.pattern, l.paren = false, false
		l.first, l.lead, l.decl = true, true, false
	case l.close != ')' || l.inTest || l.cases > 0:
		return false, whyUnparsed
	case len(l.pending) > 0:
		return true, "has a heredoc that does not end where it should"
	default:
		level = true
	}
	g.i++
	return level, ""
}

// newline reads the end of a line and the heredocs that begin there.
func (g *guard) newline(l *line) string {
	if why := g.endWord(l); why != "" {
		return why
	}
	if l.inTest {
		return "has a test over several lines"
	}
	g.i++
	l.first, l.lead, l.decl = true, true, false
	for _, h := range l.pending {
		if why := g.heredocBody(h); why != "" {
			return why
		}
	}
	l.pending = l.pending[:0]
	return ""
}

// operator reads one of ; ;; ;& ;;& & && | || |& and &> &>>.
func (g *guard) operator(l *line) string {
	if why := g.endWord(l); why != "" {
		return why
	}
	rest := g.text[g.i:g.end]
	if strings.HasPrefix(rest, "&>") {
		if g.sh || g.zsh {
			return "has a redirection that only some shells know"
		}
		g.i++
		return g.redirection(l)
	}
	if l.inTest && !strings.HasPrefix(rest, "&&") && !strings.HasPrefix(rest, "||") {
		return "has a test that is not simple"
	}
	n := 1
	for n < len(rest) && strings.IndexByte(";&|", rest[n]) >= 0 {
		n++
	}
	switch op := rest[:n]; op {
	case ";", "&", "&&", "|", "||":
	case "|&", ";;", ";&", ";;&":
		if g.sh && op != ";;" || g.zsh {
			return "has an operator that only some shells know"
		}
	default:
		return whyUnparsed
	}
	if strings.HasPrefix(rest[n:], "\\\n") {
		return "has a line continuation behind an operator"
	}
	g.i += n
	l.first, l.lead, l.decl = !l.inTest, !l.inTest, false
	if n > 1 && rest[0] == ';' {
		if l.cases == 0 || l.pattern {
			return whyUnparsed
		}
		l.pattern = true
	}
	return ""
}

// open reads a parenthesis and what it opens: a subshell, the head of a function, a case pattern.
func (g *guard) open(l *line) string {
	if g.zsh || l.inTest {
		return "has parentheses"
	}
	inWord, name := l.word >= 0, ""
	if inWord {
		name = g.text[l.word:g.i]
	}
	if closes := g.functionHead(g.i + 1); closes > 0 && (l.fname || g.functionName(l, name, inWord)) {
		l.word, l.fname = -1, false
		g.i = closes
		l.first, l.lead, l.decl = true, true, false
		return ""
	}
	switch {
	case l.pattern && !l.paren && !inWord:
		l.paren = true
		g.i++
		return ""
	case inWord:
		return "has parentheses inside a word"
	case !l.first:
		return whyUnparsed
	}
	l.first, l.lead = false, false
	if g.peek(g.i+1) == '(' {
		if g.sh {
			return whyArithmetic // or a subshell in a subshell
		}
		g.census.add(kindArithmetic, uint(g.i))
		g.i += 2
		return g.arithmetic()
	}
	g.census.add(kindSubshell, uint(g.i))
	return g.nested(l, g.i+1, func() string { return g.commands(')', l.within) })
}

// functionHead is the offset behind the ) that follows i over blanks, or 0.
func (g *guard) functionHead(i int) int {
	for g.peek(i) == ' ' || g.peek(i) == '\t' {
		i++
	}
	if g.peek(i) != ')' {
		return 0
	}
	return i + 1
}

// functionName reports whether the word in front of () can be the name of a function.
func (g *guard) functionName(l *line, name string, inWord bool) bool {
	if !inWord { // f ()
		end := g.i
		for end > 0 && (g.text[end-1] == ' ' || g.text[end-1] == '\t') {
			end--
		}
		begin := end
		for begin > 0 && !g.endsWord(begin-1) {
			begin--
		}
		name = g.text[begin:end]
		return end < g.i && !l.lead && isFunctionName(name)
	}
	return l.first && l.plain && isFunctionName(name)
}

func isFunctionName(name string) bool {
	for i := range len(name) {
		if c := name[i]; !isNameByte(c) && strings.IndexByte("-.:+", c) < 0 {
			return false
		}
	}
	return name != ""
}

// nested reads what begins at i with read, which is one level down. While a heredoc waits for the
// end of its line, nothing may go on over a line.
func (g *guard) nested(l *line, i int, read func() string) string {
	begin := g.i
	g.i = i
	if why := g.deeper(read); why != "" {
		return why
	}
	if len(l.pending) > 0 && strings.IndexByte(g.text[begin:g.i], '\n') >= 0 {
		return "has a heredoc that begins inside a word"
	}
	return ""
}

// redirection reads the operator of one, and of a heredoc its delimiter.
func (g *guard) redirection(l *line) string {
	if l.inTest || g.zsh && !g.zshRedirection(l) {
		return "has a redirection"
	}
	op, next := g.text[g.i], g.peek(g.i+1)
	if next == '(' {
		return g.process(l)
	}
	// Digits and {name} directly in front belong to it.
	fd := ""
	if l.word >= 0 {
		fd = g.text[l.word:g.i]
	}
	if len(fd) > 2 && strings.Trim(fd, "0123456789") == "" {
		return "has a redirection of a strange descriptor"
	} else if strings.Trim(fd, "0123456789") == "" {
		l.word = -1
	} else if strings.HasPrefix(fd, "{") {
		return "has a redirection that sets a variable"
	} else if why := g.endWord(l); why != "" {
		return why
	}
	rest := g.text[g.i:g.end]
	n := 1
	switch {
	case strings.HasPrefix(rest, "<<<"):
		n = 3
	case strings.HasPrefix(rest, "<<"):
		return g.heredoc(l)
	case op == '<' && (next == '&' || next == '>'), op == '>' && (next == '&' || next == '>' || next == '|'):
		n = 2
	}
	g.i += n
	for g.peek(g.i) == ' ' || g.peek(g.i) == '\t' {
		g.i++
	}
	if c := g.peek(g.i); c == '\\' && g.peek(g.i+1) == '\n' || c != '<' && c != '>' && g.endsWord(g.i) || c == '#' {
		return whyUnparsed
	}
	if c := g.peek(g.i); (c == '<' || c == '>') && g.peek(g.i+1) != '(' {
		return whyUnparsed
	}
	l.first, l.target = false, true // bash knows no reserved word behind a redirection
	return ""
}

// zshRedirection reports whether a redirection means the same in zsh as in bash for certain: < a file,
// > or >> a file, or to a descriptor, with a blank or a blank and one digit in front. <1-5> is a glob,
// >! and >| are other operators.
func (g *guard) zshRedirection(l *line) bool {
	if l.word >= 0 && (g.i-l.word != 1 || !isDigit(g.text[l.word])) {
		return false
	}
	next := g.peek(g.i + 1)
	if g.text[g.i] == '<' {
		return next != 0 && !isDigit(next) && strings.IndexByte("-<>&(|!", next) < 0
	}
	after := g.peek(g.i + 2)
	switch next {
	case '&':
		return (isDigit(after) || after == '-') && g.endsWord(g.i+3)
	case '>':
		return strings.IndexByte("!|&(<>", after) < 0
	}
	return strings.IndexByte("!|(<", next) < 0
}

// process reads <(…) or >(…).
func (g *guard) process(l *line) string {
	if g.sh {
		return "has a process substitution, which only some shells know"
	}
	if l.word >= 0 {
		return "has a process substitution inside a word"
	}
	if g.peek(g.i+2) == '(' {
		return whyArithmetic
	}
	g.census.add(kindProcess, uint(g.i))
	g.begin(l)
	l.plain = false
	return g.nested(l, g.i+2, func() string { return g.commands(')', true) })
}
