package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// dialects maps the names that a subject may carry to the parser's.
var dialects = map[string]syntax.LangVariant{
	"": syntax.LangBash, "bash": syntax.LangBash, "sh": syntax.LangPOSIX, "zsh": syntax.LangZsh,
}

// read parses a text that passed every check made before and after, or says why it is opaque.
func read(command string, variant syntax.LangVariant) (*syntax.File, outline, string) {
	if why := unreadable(command); why != "" {
		return nil, outline{}, why
	}
	seen, why := scan(command, variant == syntax.LangPOSIX, variant == syntax.LangZsh)
	if why != "" {
		return nil, outline{}, why
	}
	file, ok := parse(command, variant)
	if !ok {
		return nil, outline{}, whyUnparsed
	}
	out := survey(file)
	if out.census != seen {
		return nil, outline{}, "can be read in more than one way"
	}
	return file, out, ""
}

// parse reports failure without the parser's own words, which would tie a record to a version of the
// library. A text that makes the parser panic is one that it does not parse: one command must not
// end the daemon.
func parse(command string, variant syntax.LangVariant) (file *syntax.File, ok bool) {
	defer func() {
		if recover() != nil {
			file, ok = nil, false
		}
	}()
	file, err := syntax.NewParser(syntax.Variant(variant)).Parse(strings.NewReader(command), "")
	return file, err == nil
}

// outline is what has to be known of a whole text before its first stage is read.
type outline struct {
	census    census
	functions map[string]bool // names that the text defines
	commands  int             // simple commands with a command word
}

// survey makes the outline of a parsed text.
func survey(file *syntax.File) outline {
	var out outline
	syntax.Walk(file, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Word:
			if len(n.Parts) == 1 {
				_, literal := n.Parts[0].(*syntax.Lit)
				return !literal // nothing to count inside, as in most words
			}
		case *syntax.SglQuoted:
			out.census.add(kindSingle, int(n.Left.Offset()))
		case *syntax.DblQuoted:
			out.census.add(kindDouble, int(n.Left.Offset()))
		case *syntax.CmdSubst:
			out.census.add(kindCommand, int(n.Left.Offset()))
		case *syntax.ProcSubst:
			out.census.add(kindProcess, int(n.OpPos.Offset()))
		case *syntax.ParamExp:
			out.census.add(kindParameter, int(n.Dollar.Offset()))
		case *syntax.ArithmExp:
			out.census.add(kindArithmetic, int(n.Left.Offset()))
		case *syntax.Subshell:
			out.census.add(kindSubshell, int(n.Lparen.Offset()))
		case *syntax.Redirect:
			if n.Op == syntax.Hdoc || n.Op == syntax.DashHdoc {
				out.census.add(kindHeredoc, int(n.OpPos.Offset()))
			}
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				out.commands++
			}
		case *syntax.FuncDecl:
			if out.functions == nil {
				out.functions = map[string]bool{}
			}
			if n.Name != nil {
				out.functions[n.Name.Value] = true
			}
		}
		return true
	})
	return out
}
