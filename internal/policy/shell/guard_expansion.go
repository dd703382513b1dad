package shell

import "strings"

// doubleQuoted reads behind the opening quote up to the closing one, and that too.
func (g *guard) doubleQuoted() string {
	for g.i < g.end {
		switch g.text[g.i] {
		case '"':
			g.i++
			return ""
		case '\\':
			// The parser drops a continuation, and not all shells agree on it here.
			if g.i++; g.peek(g.i) == '\n' {
				return "has a line continuation inside double quotes"
			}
		case '`':
			if why := g.backquotes(true); why != "" {
				return why
			}
			continue
		case '$':
			if why := g.dollar(true); why != "" {
				return why
			}
			continue
		}
		g.i++
	}
	return whyUnparsed
}

// dollar reads what begins with a $. quoted says that it stands in double quotes or a heredoc.
func (g *guard) dollar(quoted bool) string {
	at, next := g.i, g.peek(g.i+1)
	switch {
	case g.zsh && quoted && isNameStart(next):
		g.census.add(kindParameter, uint(at))
		for g.i += 2; isNameByte(g.peek(g.i)); g.i++ {
		}
		if c := g.peek(g.i); c != 0 && strings.IndexByte("[:(\\", c) >= 0 {
			return whyExpansion // a subscript is evaluated, and there are modifiers
		}
		return ""
	case g.zsh:
		// The $ that ends a regular expression stands for itself, except perhaps in zsh.
		return whyExpansion
	case next == '(':
		return g.deeper(func() string { return g.dollarParenthesis(at) })
	case next == '{':
		g.census.add(kindParameter, uint(at))
		g.i += 2
		return g.deeper(g.parameter)
	case isNameStart(next):
		g.census.add(kindParameter, uint(at))
		for g.i += 2; isNameByte(g.peek(g.i)); g.i++ {
		}
		return g.noContinuation()
	case isDigit(next), next != 0 && strings.IndexByte("?#$!@*-", next) >= 0:
		if next == '#' && isNameByte(g.peek(at+2)) {
			return "has a $# that shells read in different ways"
		}
		g.census.add(kindParameter, uint(at))
		g.i += 2
		return g.noContinuation()
	case quoted && next == '"':
		g.i++ // the quote closes the string, and the $ stands for itself
		return ""
	case next == '\'' && !quoted && !g.sh:
		return g.ansi()
	case next == '"' && !g.sh:
		g.census.add(kindDouble, uint(at))
		g.i += 2
		return g.deeper(g.doubleQuoted)
	case next == 0 && g.i+1 >= g.end, next == ' ', next == '\t', next == '\n',
		quoted && strings.IndexByte("|.,:;/)^&%+=]}~", next) >= 0:
		g.i++
		return ""
	}
	return whyExpansion
}

// noContinuation refuses one behind a name, which some shells continue.
func (g *guard) noContinuation() string {
	if g.peek(g.i) == '\\' && g.peek(g.i+1) == '\n' {
		return "has a line continuation where shells disagree"
	}
	if g.peek(g.i) == '[' {
		return "has a bracket behind a parameter, which some shells take for a subscript"
	}
	return ""
}

// dollarParenthesis reads $(…), or $((…)) over digits.
func (g *guard) dollarParenthesis(at int) string {
	if g.peek(at+2) != '(' {
		g.census.add(kindCommand, uint(at))
		g.i = at + 2
		return g.commands(')', true)
	}
	g.census.add(kindArithmetic, uint(at))
	g.i = at + 3
	return g.arithmetic()
}

// arithmetic reads behind (( up to the )), and that too. There may be names, numbers, parameters and
// operators, and nothing in groups.
func (g *guard) arithmetic() string {
	begin := g.i
	for g.i < g.end && g.i < begin+maxArithmetic {
		switch c := g.text[g.i]; {
		case c == ')' && g.peek(g.i+1) == ')' && g.i > begin:
			g.i += 2
			return ""
		case c == '$' && isNameStart(g.peek(g.i+1)):
			if why := g.dollar(true); why != "" {
				return why
			}
			continue
		case !isNameByte(c) && strings.IndexByte(" \t+-*/%<>=!&|^~?:,", c) < 0:
			return whyArithmetic
		}
		g.i++
	}
	return whyArithmetic
}

// ansi reads $'…'.
func (g *guard) ansi() string {
	g.census.add(kindSingle, uint(g.i))
	for i := g.i + 2; i < g.end; i++ {
		switch g.text[i] {
		case '\\':
			i++
		case '\n':
			return "has a line end in ANSI-C quotes"
		case '\'':
			g.i = i + 1
			return ""
		}
	}
	return whyUnparsed
}

// backquotes reads `…`, whose text has its own level. What needs an escape there is refused.
func (g *guard) backquotes(quoted bool) string {
	if g.zsh {
		return whyExpansion
	}
	length := strings.IndexByte(g.text[g.i+1:g.end], '`')
	if length < 0 {
		return whyUnparsed
	}
	g.census.add(kindCommand, uint(g.i))
	inner := guard{text: g.text, i: g.i + 1, end: g.i + 1 + length, sh: g.sh, depth: g.depth, tally: g.tally}
	body := g.text[inner.i:inner.end]
	if strings.ContainsAny(body, "\\#") || strings.Contains(body, "<<") || quoted && strings.ContainsAny(body, `"'`) {
		return "has backquotes that are not simple"
	}
	g.i = inner.end + 1
	return inner.deeper(func() string { return inner.commands(untilEnd, true) })
}

// parameter reads behind ${ up to the closing brace, and that too.
func (g *guard) parameter() string {
	const refused = "has a parameter expansion that is not simple"
	if g.peek(g.i) == '#' && g.peek(g.i+1) != '}' { // length
		g.i++
		if !g.parameterName() || g.peek(g.i) != '}' {
			return refused
		}
		g.i++
		return ""
	}
	if !g.parameterName() {
		return refused
	}
	op := g.peek(g.i)
	if op == ':' {
		if next := g.peek(g.i + 1); next != 0 && strings.IndexByte("-+?", next) >= 0 {
			g.i++
			op = next
		}
	}
	switch op {
	case '}':
		g.i++
		return ""
	case ':': // a part, by numbers
		for g.i++; isDigit(g.peek(g.i)) || g.peek(g.i) == ':'; g.i++ {
		}
		if g.peek(g.i) != '}' || g.text[g.i-1] == ':' {
			return refused
		}
		g.i++
		return ""
	case '-', '+', '?', '#', '%', '/', '^', ',':
		g.i++
		return g.parameterWord(refused)
	}
	return refused // = assigns, @ evaluates, ! and [ lead to other names
}

// parameterName reads a name or a special parameter, with [@] or [*].
func (g *guard) parameterName() bool {
	switch c := g.peek(g.i); {
	case isNameStart(c):
		for ; isNameByte(g.peek(g.i)); g.i++ {
		}
		if rest := g.text[g.i:g.end]; strings.HasPrefix(rest, "[@]") || strings.HasPrefix(rest, "[*]") {
			g.i += 3
		}
	case isDigit(c):
		for ; isDigit(g.peek(g.i)); g.i++ {
		}
	case c != 0 && strings.IndexByte("?@*#$-", c) >= 0:
		g.i++
	default:
		return false
	}
	return true
}

// parameterWord reads the word of an expansion, which may hold expansions but no quotes.
func (g *guard) parameterWord(refused string) string {
	for g.i < g.end {
		c := g.text[g.i]
		switch {
		case c == '}':
			g.i++
			return ""
		case c == '$':
			next := g.peek(g.i + 1)
			if !isNameByte(next) && next != '{' && next != '(' {
				return refused
			}
			if why := g.dollar(true); why != "" {
				return why
			}
			continue
		case strings.IndexByte("'\"`\\(){<>\n&;|~!", c) >= 0:
			return refused
		}
		g.i++
	}
	return whyUnparsed
}
