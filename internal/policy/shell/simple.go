package shell

import (
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// command is a simple command on its way to a stage.
type command struct {
	stage        Stage
	words        []word // of what is left when the launchers have been taken off
	mayBeBuiltin bool   // no launcher in front of it that is a program
	why          string // not "": the stage is opaque
	changes      string // not "": every later stage is, too
	source       string
	fed          bool   // by xargs: some of its words come from the input
	input        string // static text of a heredoc or here-string, for a shell that reads it
	in, ok, fail places
	follow       []*command // stages of their own, behind this one
}

// opaque notes why the stage is opaque. The first reason stays.
func (c *command) opaque(why string) {
	if c.why == "" {
		c.why = why
	}
}

// standing notes why this stage and every later one are opaque.
func (c *command) standing(why string) {
	c.opaque(why)
	c.changes = why
}

// begin starts the stage of a statement. It is good until the next one begins.
func (w *walker) begin(st *syntax.Stmt, words []word, in places) *command {
	w.current = command{words: words, mayBeBuiltin: true, source: w.statementText(st), in: in, ok: in, fail: in}
	w.redirects(st, &w.current)
	return &w.current
}

const whyAssigned = "is given a variable that can change what it does"

// specialBuiltins are those in front of which an assignment stands, in a POSIX shell.
var specialBuiltins = wordSet(`: . break continue eval exec exit export readonly return set shift source times trap unset`)

// statementText is the text of a statement without the operator that ends it.
func (w *walker) statementText(st *syntax.Stmt) string {
	if st.Semicolon.IsValid() && st.Semicolon.Offset() > st.Pos().Offset() {
		return strings.TrimRight(w.text[st.Pos().Offset():st.Semicolon.Offset()], " \t\n")
	}
	return w.source(st)
}

// simple walks a simple command.
func (w *walker) simple(st *syntax.Stmt, call *syntax.CallExpr, in places) (ok, fail places) {
	if len(call.Args) == 0 {
		w.bare(st, call, in)
		return in, in
	}
	w.walked++
	c := w.begin(st, w.words(call.Args), in)
	for _, a := range call.Assigns {
		separates := a.Name != nil && a.Name.Value == "IFS" && c.words[0].text == "read" // only what it reads
		if !w.harmless(a) && !separates {
			c.opaque(whyAssigned)
			if name := c.words[0].text; specialBuiltins()[name] || w.functions[name] {
				c.standing(whyAssigned) // POSIX shells keep it
			}
		}
	}
	w.command(c)
	ok, fail = c.ok, c.fail
	for _, a := range call.Assigns {
		w.substitutions(a, in)
	}
	for _, a := range call.Args {
		w.substitutions(a, in)
	}
	w.redirectSubstitutions(st, in)
	return ok, fail
}

// harmless reports whether an assignment in front of a command changes nothing that matters.
func (w *walker) harmless(a *syntax.Assign) bool {
	if a.Append || a.Index != nil || a.Array != nil || a.Name == nil {
		return false
	}
	var value word
	if a.Value != nil {
		value = w.word(a.Value)
	}
	return !value.dynamic && (harmlessVariables()[a.Name.Value] || harmlessAssignments()[a.Name.Value+"="+value.text])
}

// bare walks assignments and redirections without a command. Harmless assignments are no stage.
func (w *walker) bare(st *syntax.Stmt, call *syntax.CallExpr, in places) {
	c := w.begin(st, nil, in)
	if call != nil {
		for _, a := range call.Assigns {
			if a.Index != nil || a.Array != nil || a.Name == nil || standing(a.Name.Value) {
				c.standing("sets a variable that can change what programs do")
			}
			if a.Name != nil {
				w.untame(a.Name.Value)
			}
		}
	}
	if c.why == "" && len(st.Redirs) > 0 {
		c.opaque("is a redirection without a command")
	}
	if c.why != "" {
		w.emit(c)
	}
	if call != nil {
		for _, a := range call.Assigns {
			w.substitutions(a, in)
		}
	}
	w.redirectSubstitutions(st, in)
}

// declClause walks export, declare and the like. Harmless definitions are no stage.
func (w *walker) declClause(st *syntax.Stmt, decl *syntax.DeclClause, in places) {
	c := w.begin(st, []word{{text: decl.Variant.Value}}, in)
	prints := len(decl.Args) == 0
	for _, a := range decl.Args {
		if a.Name == nil { // an option, or a word that becomes one
			option := word{dynamic: true}
			if a.Value != nil {
				option = w.word(a.Value)
			}
			c.words = append(c.words, option)
			switch {
			case !option.dynamic && option.text == "-p":
				prints = true
			case option.dynamic || option.text != "-r" && option.text != "-l" && option.text != "-u" && option.text != "--":
				c.standing(decl.Variant.Value + " can change what other words mean")
			}
			continue
		}
		c.words = append(c.words, word{text: w.source(a)})
		if a.Index != nil || a.Array != nil {
			c.standing(decl.Variant.Value + " can change what other words mean")
			continue
		}
		w.declared(c, a.Name.Value, a.Value != nil, a.Value != nil && w.word(a.Value).dynamic)
	}
	c.stage.Builtin = true
	if c.why != "" || prints || len(c.stage.Files) > 0 {
		w.emit(c)
	}
	w.substitutions(decl, in)
	w.redirectSubstitutions(st, in)
}

// opaqueStatement makes one opaque stage of a whole statement that is not looked into.
func (w *walker) opaqueStatement(st *syntax.Stmt, why string, in places) {
	c := w.begin(st, nil, in)
	c.standing(why)
	w.emit(c)
	w.hidden = true
}

// command takes the launchers off a simple command, weighs what is left, and emits its stages.
func (w *walker) command(c *command) {
	for !w.refuses(c) && !w.builtin(c) {
		l := launcherNamed(c.words[0].text, c.mayBeBuiltin)
		if l == nil || w.printsCommands(c) {
			w.program(c)
			break
		}
		p := l.peel(c.words)
		if len(c.stage.Launchers) == maxLaunchers {
			p = peeled{why: "has too many launchers"}
		}
		if why := weighAssigned(p.assigns); why != "" {
			c.opaque(why)
		}
		if p.why == "" && p.command < len(c.words) {
			w.enter(c, l, p)
			continue
		}
		if p.why != "" || l.empty != "" {
			c.opaque(cmp.Or(p.why, l.empty))
			c.stage.Code = suffixes(c.words)
			if l.builtin {
				c.standing(c.why)
			}
		}
		break
	}
	if c.why != "" && c.words[0].text == "cd" {
		c.ok.lost = true
	}
	w.emit(c)
	for _, next := range c.follow {
		w.command(next)
	}
}

// base is the last component of a command word.
func base(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// refuses reports whether nothing can be said of what the command word leads to.
func (w *walker) refuses(c *command) bool {
	first := c.words[0]
	switch name := first.text; {
	case first.dynamic:
		c.opaque("has a command word that only the shell knows")
		if strings.ContainsAny(name, "$`") { // may be eval, or a function
			c.standing(c.why)
		}
	case name == "":
		c.opaque("has an empty command word")
	case strings.Contains(name, "="):
		c.standing("has a command word like an assignment")
	case name[0] == '-':
		c.opaque("has an option in place of a command")
		c.stage.Code = suffixes(c.words)
	case isMisspelt(base(name)):
		c.opaque("has the name of a known program in other letters")
		c.stage.Code = suffixes(c.words)
	case name[0] == '%':
		c.opaque("has a job in place of a command")
	case w.functions[name]:
		c.opaque("is a function of the same text")
	default:
		return false
	}
	return true
}

// isMisspelt reports whether a file system that folds case would find a program that is weighed by
// its name.
func isMisspelt(name string) bool {
	for i := range len(name) {
		if c := name[i]; 'A' <= c && c <= 'Z' {
			lower := strings.ToLower(name)
			return interpreterNamed(name) == nil && (launchers()[lower] != nil || interpreterNamed(lower) != nil || carriers()[lower] != nil ||
				opaquePrograms()[lower] != "" || runners()[lower] || lower == "git" || lower == "find" || lower == "ssh" || lower == "sed" || lower == "awk")
		}
	}
	return false
}

// printsCommands reports whether the command is `command -v NAME`, which only prints.
func (w *walker) printsCommands(c *command) bool {
	if c.words[0].text != "command" || len(c.words) < 2 || c.words[1].dynamic {
		return false
	}
	c.stage.Builtin = c.words[1].text == "-v" || c.words[1].text == "-V"
	return c.stage.Builtin
}

// weighAssigned says why the assignments that a launcher makes matter, or "".
func weighAssigned(assigns []word) string {
	for _, a := range assigns {
		name, _, _ := strings.Cut(a.text, "=")
		if a.dynamic || !harmlessVariables()[name] && !harmlessAssignments()[a.text] {
			return whyAssigned
		}
	}
	return ""
}

// enter goes on to the command that a launcher starts. Where the launcher is a stage of its own, that
// stage has the redirections.
func (w *walker) enter(c *command, l *launcher, p peeled) {
	if l.own {
		own := *c
		own.stage.Launchers = slices.Clone(c.stage.Launchers)
		w.emit(&own)
		c.stage.Files = nil
	}
	if l.away {
		c.in.lost = true
	}
	c.stage.Launchers = append(c.stage.Launchers, texts(c.words[:p.command]))
	c.words = slices.Clone(c.words[p.command:])
	c.mayBeBuiltin = c.mayBeBuiltin && l.builtin
	if !l.input {
		return
	}
	c.fed = true
	if p.replace == "" {
		c.words = append(c.words, word{text: xargsInput, dynamic: true, splits: true, multi: true})
		return
	}
	for i := range c.words {
		if lead, _, found := strings.Cut(c.words[i].text, p.replace); found {
			c.words[i].dynamic, c.words[i].lead = true, lead
		}
	}
}

// xargsInput stands for the words that xargs reads and puts behind its command.
const xargsInput = "<input>"

// suffixes are the ways to read a command out of the words of a launcher that is not understood, for
// deny and ask rules.
func suffixes(words []word) [][]string {
	var out [][]string
	for i := 1; i < len(words) && len(out) < maxSuffixes; i++ {
		if w := words[i]; !w.dynamic && w.text != "" && w.text[0] != '-' {
			out = append(out, texts(words[i:min(len(words), i+maxSuffixWords)]))
		}
	}
	return out
}

// Bounds of what is kept of one stage, so that a long command does not become an endless record.
const (
	maxLaunchers   = 16
	maxFiles       = 256
	maxSuffixes    = 16
	maxSuffixWords = 8
)

func texts(words []word) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w.text
	}
	return out
}

// dynamics are the indices of the words that only the shell knows.
func dynamics(words []word) []int {
	var out []int
	for i, w := range words {
		if w.dynamic {
			out = append(out, i)
		}
	}
	return out
}
