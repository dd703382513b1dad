package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// dialects maps the names that a subject may carry to the parser's.
var dialects = map[string]syntax.LangVariant{
	"": syntax.LangBash, "bash": syntax.LangBash, "sh": syntax.LangPOSIX, "zsh": syntax.LangZsh,
}

// split returns either complete stages, at least one, or why the text is opaque.
func split(command, dialect string) (stages []Stage, why string) {
	variant, known := dialects[dialect]
	if !known {
		return nil, "is for an unknown shell"
	}
	if why := unreadable(command); why != "" {
		return nil, why
	}
	if why := scan(command, variant == syntax.LangZsh); why != "" {
		return nil, why
	}
	file, ok := parse(command, variant)
	if !ok {
		return nil, whyUnparsed
	}
	s := splitter{variant: variant}
	for _, stmt := range file.Stmts {
		if why := s.statement(stmt); why != "" {
			return nil, why
		}
	}
	if len(s.stages) == 0 {
		return nil, "runs nothing"
	}
	return s.stages, ""
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

// splitter collects the stages of one text. Its methods return why the text is opaque, or "".
type splitter struct {
	variant syntax.LangVariant
	stages  []Stage
}

// statement accepts a simple command, or a list or pipeline of statements, and nothing around them.
func (s *splitter) statement(stmt *syntax.Stmt) string {
	switch {
	case stmt.Negated:
		return "is negated with !"
	case stmt.Background, stmt.Disown, stmt.Coprocess:
		return "runs in the background"
	case len(stmt.Redirs) > 0:
		return "has a redirection"
	}
	switch cmd := stmt.Cmd.(type) {
	case *syntax.CallExpr:
		return s.call(cmd)
	case *syntax.BinaryCmd:
		if cmd.Op != syntax.AndStmt && cmd.Op != syntax.OrStmt && cmd.Op != syntax.Pipe {
			return "is joined by " + cmd.Op.String()
		}
		if why := s.statement(cmd.X); why != "" {
			return why
		}
		return s.statement(cmd.Y)
	default:
		return whyCompound
	}
}

// call appends the stage of one simple command.
func (s *splitter) call(call *syntax.CallExpr) string {
	if len(call.Assigns) > 0 {
		return "has an assignment"
	}
	if len(s.stages) == maxStages {
		return "has more than 256 stages"
	}
	argv := make([]string, len(call.Args))
	for i, w := range call.Args {
		var why string
		if argv[i], why = word(w, s.variant == syntax.LangZsh); why != "" {
			return why
		}
	}
	if why := unsettling(argv); why != "" {
		return why
	}
	s.stages = append(s.stages, Stage{
		Argv: argv, Complete: true, KnownSafe: knownSafe(argv, s.variant),
	})
	return ""
}
