package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/approvald/approvald/internal/approval"
)

// redirects notes the files that the redirections of a statement open, and the text that they put on
// its standard input.
func (w *walker) redirects(st *syntax.Stmt, c *command) {
	for _, r := range st.Redirs {
		if r.N != nil && !isDigit(r.N.Value[0]) {
			c.standing("has a redirection that sets a variable")
		}
		target := w.word(r.Word)
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			c.input = w.heredocInput(r)
		case syntax.WordHdoc:
			if !target.dynamic {
				c.input = target.text + "\n"
			}
		case syntax.DplIn:
			// Only a descriptor can stand there; anything else is an error.
		case syntax.DplOut:
			if target.dynamic || strings.Trim(target.text, "0123456789-") != "" {
				c.opens(r.Word, target, approval.Write) // >&file
			}
		case syntax.RdrIn:
			c.opens(r.Word, target, approval.Read)
		case syntax.RdrInOut:
			c.opens(r.Word, target, approval.Read)
			c.opens(r.Word, target, approval.Write)
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
			c.opens(r.Word, target, approval.Write)
		default:
			c.opaque("has a redirection that is not known")
		}
	}
}

// heredocInput is the text of a heredoc, or "" where only the shell knows it.
func (w *walker) heredocInput(r *syntax.Redirect) string {
	if r.Hdoc == nil {
		return ""
	}
	literal := r.Word.Lit() == "" || strings.Contains(r.Word.Lit(), `\`)
	var body []byte
	for _, part := range r.Hdoc.Parts {
		lit, ok := part.(*syntax.Lit)
		switch {
		case !ok:
			return ""
		case literal:
			body = append(body, lit.Value...)
		default:
			body = appendEscaped(body, lit.Value)
		}
	}
	return string(body)
}

// devices are those that a redirection may open without writing or reading a file.
var devices = wordSet(`/dev/null /dev/stdin /dev/stdout /dev/stderr /dev/zero /dev/full`)

// opens notes a file that the shell opens.
func (c *command) opens(node *syntax.Word, target word, access approval.Access) {
	if len(node.Parts) == 1 {
		if _, process := node.Parts[0].(*syntax.ProcSubst); process {
			return // a pipe to commands that are stages of their own
		}
	}
	known := target.text
	if target.dynamic {
		known = target.lead
	}
	switch {
	case target.text == "": // an error
		return
	case strings.HasPrefix(known, "/dev/tcp/"), strings.HasPrefix(known, "/dev/udp/"):
		c.opaque("opens a network connection")
	case !target.dynamic && (devices()[known] || strings.HasPrefix(known, "/dev/fd/") && strings.Trim(known[len("/dev/fd/"):], "0123456789") == ""):
		return
	}
	c.stage.Files = append(c.stage.Files, File{Access: access, Redirected: true, Text: target.text, Dynamic: target.dynamic})
}

// redirectCompound notes the redirections of a compound statement at the first of its stages.
func (w *walker) redirectCompound(st *syntax.Stmt, first int, in places) {
	if len(st.Redirs) == 0 {
		return
	}
	c := w.begin(st, nil, in)
	switch {
	case w.full:
	case len(w.stages) == first || c.why != "":
		c.opaque("is a redirection without a command")
		w.emit(c)
	default:
		s := &w.stages[first]
		s.Files = append(s.Files, c.stage.Files...)
		for _, file := range c.stage.Files {
			s.KnownSafe = s.KnownSafe && file.Access != approval.Write
		}
	}
	w.redirectSubstitutions(st, in)
}

// redirectSubstitutions walks the commands inside the words and heredocs of redirections.
func (w *walker) redirectSubstitutions(st *syntax.Stmt, in places) {
	for _, r := range st.Redirs {
		w.substitutions(r.Word, in)
		if r.Hdoc != nil {
			w.substitutions(r.Hdoc, in)
		}
	}
}
