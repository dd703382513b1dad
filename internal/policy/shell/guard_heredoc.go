package shell

import "strings"

// heredoc is one whose body has not begun.
type heredoc struct {
	delimiter string
	literal   bool // the delimiter is quoted, so that the body has no expansions
	tabs      bool // <<-: tabs at the beginning of a line are no part of it
}

// heredoc reads the operator and the delimiter of one.
func (g *guard) heredoc(l *line) string {
	const refused = "has a heredoc with a strange delimiter"
	g.census.add(kindHeredoc, uint(g.i))
	g.i += 2
	h := heredoc{tabs: g.peek(g.i) == '-'}
	if h.tabs {
		g.i++
	}
	for g.peek(g.i) == ' ' || g.peek(g.i) == '\t' {
		g.i++
	}
	begin := g.i
	switch quote := g.peek(g.i); quote {
	case '\'', '"':
		kind := kindSingle
		if quote == '"' {
			kind = kindDouble
		}
		g.census.add(kind, uint(g.i))
		length := strings.IndexByte(g.text[g.i+1:g.end], quote)
		if length < 0 {
			return whyUnparsed
		}
		h.delimiter, h.literal = g.text[g.i+1:g.i+1+length], true
		g.i += length + 2
	case '\\':
		h.literal = true
		begin++
		g.i++
		fallthrough
	default:
		for !g.endsWord(g.i) {
			g.i++
		}
		h.delimiter = g.text[begin:g.i]
	}
	if !g.endsWord(g.i) || !plainDelimiter(h.delimiter) {
		return refused
	}
	l.pending = append(l.pending, h)
	l.first = false
	return ""
}

func plainDelimiter(s string) bool {
	for i := range len(s) {
		if !isNameByte(s[i]) && strings.IndexByte("-.", s[i]) < 0 {
			return false
		}
	}
	return s != ""
}

// heredocBody reads up to and with the line that is the delimiter.
func (g *guard) heredocBody(h heredoc) string {
	for begin := g.i; ; {
		if begin >= g.end {
			return "has a heredoc that does not end"
		}
		end, next := g.end, g.end
		if length := strings.IndexByte(g.text[begin:g.end], '\n'); length >= 0 {
			end, next = begin+length, begin+length+1
		}
		row := g.text[begin:end]
		if h.tabs {
			row = strings.TrimLeft(row, "\t")
		}
		if row == h.delimiter {
			body := guard{text: g.text, i: g.i, end: begin, sh: g.sh, depth: g.depth, tally: g.tally}
			g.i = next
			if h.literal {
				return ""
			}
			return body.heredocText()
		}
		begin = next
	}
}

// heredocText reads a body that has expansions.
func (g *guard) heredocText() string {
	for g.i < g.end {
		switch g.text[g.i] {
		case '\\':
			if g.i++; g.peek(g.i) == '\n' {
				return "has a line continuation inside a heredoc"
			}
		case '`':
			return "has backquotes inside a heredoc"
		case '$':
			if g.peek(g.i+1) == '"' || g.peek(g.i+1) == '\'' {
				return "has a $ and a quote inside a heredoc"
			}
			if why := g.deeper(func() string { return g.dollar(true) }); why != "" {
				return why
			}
			continue
		}
		g.i++
	}
	return ""
}
