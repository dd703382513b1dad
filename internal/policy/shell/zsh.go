package shell

import "mvdan.cc/sh/v3/syntax"

const whyZsh = "has more than lists and pipelines of plain commands, or a word with a character that is special in zsh"

// isStrict reports whether statements are lists and pipelines of simple commands with static words,
// which is all that is read of zsh: its options change the meaning of nearly everything else.
func (d *decoder) isStrict(stmts []*syntax.Stmt) bool {
	for _, st := range stmts {
		if st.Negated || st.Background || st.Coprocess || st.Disown || len(st.Redirs) > 0 {
			return false
		}
		switch cmd := st.Cmd.(type) {
		case *syntax.BinaryCmd:
			if cmd.Op == syntax.PipeAll || !d.isStrict([]*syntax.Stmt{cmd.X, cmd.Y}) {
				return false
			}
		case *syntax.CallExpr:
			if len(cmd.Assigns) > 0 {
				return false
			}
			for _, w := range cmd.Args {
				if d.word(w).dynamic {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}
