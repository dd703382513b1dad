package claudesettings

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// words are those of one simple command without quotes, as a program receives
// them; or a sentence part that says why the text is not one. A word that only
// a running shell knows, as ~ or $HOME, is given as source text where source is
// set, as deny and ask rules spell it, and otherwise refused.
func words(text string, source bool) (argv []string, why string) {
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return nil, "it holds a character that nobody can see"
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, "its text is no command that a shell would take"
	}
	if len(file.Stmts) != 1 || len(file.Last) > 0 {
		return nil, "it is not one simple command, and a rule is about one"
	}
	stmt := file.Stmts[0]
	cmd, simple := stmt.Cmd.(*syntax.CallExpr)
	if !simple || len(cmd.Assigns) > 0 || len(cmd.Args) == 0 || len(stmt.Redirs) > 0 || len(stmt.Comments) > 0 ||
		stmt.Negated || stmt.Background || stmt.Coprocess {
		return nil, "it is not one simple command, and a rule is about one"
	}
	for i, w := range cmd.Args {
		word, static := literal(w)
		if !static {
			if i == 0 || !source {
				return nil, "it has a word that only a running shell knows, which no rule covers"
			}
			word = text[w.Pos().Offset():w.End().Offset()]
		}
		argv = append(argv, word)
	}
	return argv, ""
}

// literal is a word after quote removal; false where it is not static.
func literal(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for i, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if i == 0 && strings.HasPrefix(p.Value, "~") || strings.ContainsAny(bare(p.Value), "*?[{") {
				return "", false
			}
			b.WriteString(unquote(p.Value, ""))
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok || p.Dollar {
					return "", false
				}
				b.WriteString(unquote(lit.Value, "\"\\$`"))
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

// unquote removes the backslashes that quote: before any character, or only
// before those of set.
func unquote(s, set string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (set == "" || strings.IndexByte(set, s[i+1]) >= 0) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// bare is unquoted text without its quoted characters.
func bare(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
