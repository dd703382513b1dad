package shell

import "mvdan.cc/sh/v3/syntax"

// outline is what has to be known of a whole text before its first stage is read.
type outline struct {
	census    census
	functions map[string]bool // names that the text defines
	commands  int             // simple commands with a command word
}

// statement adds a statement and all that it holds. The nodes that most texts are made of are gone
// through by hand, which is three times as fast as syntax.Walk.
func (o *outline) statement(st *syntax.Stmt) {
	for _, r := range st.Redirs {
		if r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc {
			o.census.add(kindHeredoc, r.OpPos.Offset())
		}
		o.parts(r.Word.Parts)
		if r.Hdoc != nil {
			o.parts(r.Hdoc.Parts)
		}
	}
	switch cmd := st.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		for _, a := range cmd.Assigns {
			syntax.Walk(a, o.visit)
		}
		for _, w := range cmd.Args {
			o.parts(w.Parts)
		}
		if len(cmd.Args) > 0 {
			o.commands++
		}
	case *syntax.BinaryCmd:
		o.statement(cmd.X)
		o.statement(cmd.Y)
	default:
		syntax.Walk(cmd, o.visit)
	}
}

// visit adds any other node.
func (o *outline) visit(node syntax.Node) bool {
	switch n := node.(type) {
	case *syntax.Stmt:
		o.statement(n)
		return false
	case *syntax.Word:
		o.parts(n.Parts)
		return false
	case *syntax.Subshell:
		o.census.add(kindSubshell, n.Lparen.Offset())
	case *syntax.ArithmCmd:
		o.census.add(kindArithmetic, n.Left.Offset())
	case *syntax.FuncDecl:
		if o.functions == nil {
			o.functions = map[string]bool{}
		}
		if n.Name != nil {
			o.functions[n.Name.Value] = true
		}
	}
	return true
}

// parts adds the parts of a word.
func (o *outline) parts(parts []syntax.WordPart) {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			continue
		case *syntax.SglQuoted:
			o.census.add(kindSingle, p.Left.Offset())
			continue
		case *syntax.DblQuoted:
			o.census.add(kindDouble, p.Left.Offset())
			o.parts(p.Parts)
			continue
		case *syntax.CmdSubst:
			o.census.add(kindCommand, p.Left.Offset())
		case *syntax.ProcSubst:
			o.census.add(kindProcess, p.OpPos.Offset())
		case *syntax.ParamExp:
			o.census.add(kindParameter, p.Dollar.Offset())
		case *syntax.ArithmExp:
			o.census.add(kindArithmetic, p.Left.Offset())
		}
		syntax.Walk(part, o.visit)
	}
}
