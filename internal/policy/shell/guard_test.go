package shell

import (
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// What the guard counts is what the parser finds, and another text counts otherwise: so a text in
// which the two see different quotes or substitutions is not let through.
func TestCensus(t *testing.T) {
	texts := []string{
		`a 'b' "c" $'d' $"e"`, `a "b" 'c' $'d' $"e"`, `a  'b' "c"`, "a $(b) `c`", "a `b` $(c)", "(a); b <(c)", "a $x ${y} $((1))", "a $x ${y}  $((1))",
		"cat <<E\n$x\nE", "cat <<'E'\n$x\nE", "((1))", "case $x in (a) b;; esac", `"$(a "$(b 'c')")"`,
	}
	counts := map[census]string{}
	for _, text := range texts {
		seen, why := scan(text, false, false)
		file, ok := parse(text, syntax.LangBash)
		if why != "" || !ok {
			t.Fatalf("%q is not let through: %s", text, why)
		}
		var out outline
		for _, st := range file.Stmts {
			out.statement(st)
		}
		if out.census != seen {
			t.Errorf("%q: the parser finds %v, the guard %v", text, out.census, seen)
		}
		if other, same := counts[seen]; same {
			t.Errorf("%q and %q have the same census", text, other)
		}
		counts[seen] = text
	}
}
