package shell

import (
	"cmp"
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"github.com/approvald/approvald/internal/approval"
)

// Bounds of what one text may lead to.
const (
	maxEmbedded = 4 // texts in texts in texts (sh -c "sh -c …")
)

// Reasons that a whole text has no stages.
const (
	whyTooMany = "has more than 256 stages"
	whyNothing = "runs nothing"
)

// walker collects the stages of one text in source order.
type walker struct {
	decoder
	outline
	cwd      string
	embedded int // how many texts are around this one

	current command // see begin
	stages  []Stage
	sources []string // the text of each stage
	full    bool     // there are more than maxStages
	walked  int      // simple commands that were read
	hidden  bool     // an opaque stage holds statements that were not read one by one

	standing string // why every stage from here on is opaque; "" for not

	// What a loop or a function does holds for all that stands in it, and what comes after.
	repeats  int             // loops and functions around
	recurs   int             // index of the first stage that may run again; -1: none
	strayed  bool            // a directory was changed where it may be changed again
	unstable bool            // a standing change was made there
	tamed    map[string]bool // variables of loops that were tame at some time
}

// split returns either stages, at least one, or why the whole text is opaque.
func split(command, dialect, cwd string, embedded int) (stages []Stage, why string) {
	variant, known := dialects[dialect]
	if !known {
		return nil, "is for an unknown shell"
	}
	file, out, why := read(command, variant)
	if why != "" {
		return nil, why
	}
	w := walker{
		decoder: decoder{text: command, variant: variant},
		outline: out, cwd: cwd, embedded: embedded, recurs: -1,
		stages: make([]Stage, 0, out.commands), sources: make([]string, 0, out.commands),
	}
	if variant == syntax.LangZsh && !w.isStrict(file.Stmts) {
		return nil, whyZsh
	}
	w.list(file.Stmts, atHome)
	switch {
	case w.full:
		return nil, whyTooMany
	case !w.hidden && w.walked != w.commands:
		return nil, "has commands that are not read"
	case len(w.stages) == 0:
		return nil, whyNothing
	}
	w.settle()
	return w.stages, ""
}

// settle applies to the stages that may run again what was found behind them.
func (w *walker) settle() {
	if w.recurs < 0 {
		return
	}
	for i := w.recurs; i < len(w.stages); i++ {
		if w.strayed {
			w.stages[i].Lost = true
		}
		if w.unstable {
			w.stages[i].obscure(w.sources[i], w.standing)
		}
	}
}

// list walks statements one after the other.
func (w *walker) list(stmts []*syntax.Stmt, in places) (ok, fail places) {
	ok, fail = in, places{dead: true}
	for _, st := range stmts {
		if w.full {
			break
		}
		ok, fail = w.statement(st, ok.or(fail))
	}
	return ok, fail
}

// statement walks one statement, started in the directories in, and says where the shell is after it
// has succeeded and after it has failed.
func (w *walker) statement(st *syntax.Stmt, in places) (ok, fail places) {
	first := len(w.stages)
	switch cmd := st.Cmd.(type) {
	case nil:
		ok, fail = in, in
		w.bare(st, nil, in)
	case *syntax.CallExpr:
		ok, fail = w.simple(st, cmd, in)
	case *syntax.DeclClause:
		ok, fail = in, in
		w.declClause(st, cmd, in)
	case *syntax.TestClause:
		ok, fail = in, in
		w.testClause(st, cmd, in)
	default:
		ok, fail = w.compound(st, in)
		w.redirectCompound(st, first, in)
	}
	if st.Coprocess || st.Disown {
		w.opaqueStatement(st, whyCompound, in)
	}
	if st.Negated {
		ok, fail = fail, ok
	}
	if st.Background {
		return in, places{dead: true}
	}
	return ok, fail
}

// compound walks a statement that holds others.
func (w *walker) compound(st *syntax.Stmt, in places) (ok, fail places) {
	switch cmd := st.Cmd.(type) {
	case *syntax.BinaryCmd:
		return w.binary(cmd, in)
	case *syntax.Block:
		return w.list(cmd.Stmts, in)
	case *syntax.Subshell:
		w.list(cmd.Stmts, in)
		return in, in
	case *syntax.TimeClause:
		if cmd.Stmt != nil {
			return w.statement(cmd.Stmt, in)
		}
		return in, in
	case *syntax.IfClause:
		return w.ifClause(cmd, in)
	case *syntax.WhileClause:
		return w.again(func() places {
			ok, fail := w.list(cmd.Cond, in)
			bodyOK, bodyFail := w.list(cmd.Do, ok.or(fail))
			return in.or(ok).or(fail).or(bodyOK).or(bodyFail)
		})
	case *syntax.ForClause:
		return w.forClause(st, cmd, in)
	case *syntax.CaseClause:
		return w.caseClause(cmd, in)
	case *syntax.ArithmCmd:
		w.arithmetic(cmd, cmd.X, in)
		return in, in
	case *syntax.FuncDecl:
		w.again(func() places {
			w.statement(cmd.Body, in)
			return in
		})
		return in, in
	}
	w.opaqueStatement(st, whyCompound, in)
	return in, in
}

// again walks what may run more than once, and says where the shell is afterwards.
func (w *walker) again(walk func() places) (ok, fail places) {
	if w.recurs < 0 {
		w.recurs = len(w.stages)
	}
	w.repeats++
	out := walk()
	w.repeats--
	return out, out
}

func (w *walker) binary(cmd *syntax.BinaryCmd, in places) (ok, fail places) {
	if cmd.Op == syntax.AndStmt || cmd.Op == syntax.OrStmt {
		xok, xfail := w.statement(cmd.X, in)
		if w.full {
			return xok, xfail
		}
		if cmd.Op == syntax.AndStmt {
			yok, yfail := w.statement(cmd.Y, xok)
			return yok, xfail.or(yfail)
		}
		yok, yfail := w.statement(cmd.Y, xfail)
		return xok.or(yok), yfail
	}
	w.statement(cmd.X, in)
	if w.full {
		return in, in
	}
	yok, yfail := w.statement(cmd.Y, in)
	if w.variant != syntax.LangBash { // zsh and ksh run the last member in the shell itself
		return in.or(yok), in.or(yfail)
	}
	return in, in
}

func (w *walker) ifClause(cmd *syntax.IfClause, in places) (ok, fail places) {
	if len(cmd.Cond) == 0 { // else
		return w.list(cmd.Then, in)
	}
	condOK, condFail := w.list(cmd.Cond, in)
	ok, fail = w.list(cmd.Then, condOK)
	if cmd.Else == nil {
		return ok.or(condFail), fail
	}
	elseOK, elseFail := w.ifClause(cmd.Else, condFail)
	return ok.or(elseOK), fail.or(elseFail)
}

func (w *walker) caseClause(cmd *syntax.CaseClause, in places) (ok, fail places) {
	w.substitutions(cmd.Word, in)
	out, start := in, in
	for _, item := range cmd.Items {
		for _, pattern := range item.Patterns {
			w.substitutions(pattern, in)
		}
		itemOK, itemFail := w.list(item.Stmts, start)
		out = out.or(itemOK).or(itemFail)
		if start = in; item.Op != syntax.Break {
			start = out // falls through
		}
	}
	return out, out
}

// forClause walks for and select.
func (w *walker) forClause(st *syntax.Stmt, cmd *syntax.ForClause, in places) (ok, fail places) {
	loop, named := cmd.Loop.(*syntax.WordIter)
	if !named || !isName(loop.Name.Value) {
		w.opaqueStatement(st, whyCompound, in)
		return in, in
	}
	name := loop.Name.Value
	if standing(name) {
		c := w.begin(st, nil, in)
		c.standing("sets a variable that can change what programs do")
		w.emit(c)
	}
	for _, item := range loop.Items {
		w.substitutions(item, in)
	}
	w.untame(name)
	return w.again(func() places {
		if !cmd.Select && w.functions == nil && loop.InPos.IsValid() && w.areTame(loop.Items) {
			if w.tame == nil {
				w.tame, w.tamed = map[string]bool{}, map[string]bool{}
			}
			w.tame[name], w.tamed[name] = true, true
		}
		bodyOK, bodyFail := w.list(cmd.Do, in)
		delete(w.tame, name)
		return in.or(bodyOK).or(bodyFail)
	})
}

// areTame reports whether a variable with one of these values never becomes an option, nor several
// words.
func (w *walker) areTame(items []*syntax.Word) bool {
	for _, item := range w.words(items) {
		if item.dynamic || item.text == "" || item.text[0] == '-' {
			return false
		}
		for i := range len(item.text) {
			if !isPlain(item.text[i]) {
				return false
			}
		}
	}
	return true
}

// substitutions walks the commands inside the words of a node. They run in shells of their own.
func (w *walker) substitutions(node syntax.Node, in places) {
	if word, ok := node.(*syntax.Word); ok && isLiteral(word.Parts) {
		return
	}
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			w.list(n.Stmts, in)
			return false
		case *syntax.ProcSubst:
			w.list(n.Stmts, in)
			return false
		case *syntax.ArithmExp:
			w.arithmetic(n, n.X, in)
		}
		return true
	})
}

// isLiteral reports whether there can be no command in a word, as in most.
func isLiteral(parts []syntax.WordPart) bool {
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
		case *syntax.ParamExp:
			if !part.Short {
				return false
			}
		case *syntax.DblQuoted:
			if !isLiteral(part.Parts) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// untame notes that a variable is set. In a loop the value may be there already when the loop comes
// round.
func (w *walker) untame(name string) {
	delete(w.tame, name)
	if w.tamed[name] && w.repeats > 0 {
		w.unsettle("sets the variable of a loop")
	}
}

// unsettle makes every stage from here on opaque.
func (w *walker) unsettle(why string) {
	w.standing = "comes after a part that " + why
	w.unstable = w.unstable || w.repeats > 0
}

// emit appends the stage of a command.
func (w *walker) emit(c *command) {
	if len(w.stages) == maxStages {
		w.full = true
		return
	}
	s := &c.stage
	s.Dynamic = dynamics(c.words)
	if len(c.words) > 0 {
		s.Argv, s.Complete = texts(c.words), true
	}
	if why := cmp.Or(c.why, w.standing); why != "" {
		s.obscure(c.source, why)
	} else if s.KnownSafe {
		s.KnownSafe = !slices.ContainsFunc(s.Files, func(f File) bool { return f.Access == approval.Write })
	}
	c.in.mark(s)
	if s.Complete && !s.KnownSafe && s.Launchers == nil && s.CodeAt == 0 {
		n := suggest(c.words)
		s.Prefix = s.Argv[:n:n]
		if n == 0 {
			s.Prefix = nil
		}
	}
	w.stages = append(w.stages, *s)
	w.sources = append(w.sources, c.source)
	if c.changes != "" {
		w.unsettle(c.changes)
		c.ok.lost, c.fail.lost = true, true
	}
}

// obscure makes a stage opaque; its words stay for deny and ask rules.
func (s *Stage) obscure(source, why string) {
	if s.Complete {
		s.Words = s.Argv
	}
	s.Argv, s.Complete, s.KnownSafe, s.Diagnostic = []string{source}, false, false, why
	s.CodeAt, s.Prefix = 0, nil
}
