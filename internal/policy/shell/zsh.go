package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const whyZsh = "has more than lists and pipelines of plain commands, or a word with a character that is special in zsh"

// isStrict reports whether statements are lists and pipelines of simple commands with words that mean
// the same whatever options a start-up file has set, which is all that is read of zsh: they change the
// meaning of nearly everything else.
func (d *decoder) isStrict(stmts []*syntax.Stmt) bool {
	for _, st := range stmts {
		if st.Coprocess || st.Disown || !d.strictRedirections(st) {
			return false
		}
		switch cmd := st.Cmd.(type) {
		case *syntax.BinaryCmd:
			if cmd.Op == syntax.PipeAll || !d.isStrict([]*syntax.Stmt{cmd.X, cmd.Y}) {
				return false
			}
		case *syntax.CallExpr:
			if len(cmd.Args) == 0 { // zsh may start a program of its own for a redirection
				return false
			}
			for _, a := range cmd.Assigns {
				if a.Name == nil || a.Append || a.Index != nil || a.Array != nil || a.Value != nil && d.word(a.Value).dynamic {
					return false
				}
			}
			for _, w := range cmd.Args {
				if !d.isStrictWord(w) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// strictRedirections reports whether a statement opens files by names that are known, and duplicates
// descriptors.
func (d *decoder) strictRedirections(st *syntax.Stmt) bool {
	for _, r := range st.Redirs {
		switch r.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrIn, syntax.DplOut:
		default:
			return false
		}
		if r.N != nil && (len(r.N.Value) != 1 || !isDigit(r.N.Value[0])) || d.word(r.Word).dynamic {
			return false
		}
	}
	return true
}

// isStrictWord reports whether a word is static, or is known to become files of a simple pattern, a
// file at home or the text of a variable.
func (d *decoder) isStrictWord(w *syntax.Word) bool {
	if word := d.word(w); !word.dynamic {
		return true
	} else if word.splits {
		return false
	}
	for i, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			tilde := strings.LastIndexByte(part.Value, '~')
			if tilde > 0 || tilde == 0 && (i > 0 || part.Value != "~" && !strings.HasPrefix(part.Value, "~/") || part.Value == "~" && len(w.Parts) > 1) {
				return false // a name, a stack or an assignment
			}
		case *syntax.SglQuoted:
			if part.Dollar {
				return false
			}
		case *syntax.DblQuoted:
			if part.Dollar {
				return false
			}
			for _, inner := range part.Parts {
				switch inner := inner.(type) {
				case *syntax.Lit:
				case *syntax.ParamExp:
					if !inner.Short || inner.Param == nil || !isName(inner.Param.Value) {
						return false
					}
				default:
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}
