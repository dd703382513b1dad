package shell

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// For every text in every dialect: the stages are well formed, the same when asked again, and what
// is complete and static says what it says however its words are quoted.
func FuzzStages(f *testing.F) {
	for _, command := range fuzzSeeds {
		for _, dialect := range []string{"bash", "sh", "zsh"} {
			f.Add(command, dialect)
		}
	}
	f.Fuzz(func(t *testing.T, command, dialect string) {
		got := Stages(command, dialect, cwd)
		if diff := cmp.Diff(got, Stages(command, dialect, cwd)); diff != "" {
			t.Fatalf("asked twice: (-first +second)\n%s", diff)
		}
		if len(got) == 0 || len(got) > maxStages {
			t.Fatalf("%d stages", len(got))
		}
		quotable := true
		var quoted strings.Builder
		for _, s := range got {
			if why := malformed(s); why != "" && command != "" {
				t.Fatalf("a stage that %s: %+v", why, s)
			}
			quotable = quotable && s.Complete && !s.Builtin && s.Dynamic == nil && s.Launchers == nil && s.Dirs == nil
			for _, w := range s.Argv {
				quoted.WriteString("'" + strings.ReplaceAll(w, "'", `'\''`) + "' ")
			}
			quoted.WriteString("\n")
		}
		if !quotable || quoted.Len() > maxBytes {
			return
		}
		if diff := cmp.Diff(argvs(got), argvs(Stages(quoted.String(), dialect, cwd))); diff != "" {
			t.Fatalf("quoted again as %q: (-first +second)\n%s", &quoted, diff)
		}
	})
}

// malformed says what is wrong with a stage by its contract, or "".
func malformed(s Stage) string {
	words := s.Argv
	if !s.Complete {
		words = s.Words
	}
	switch {
	case len(s.Argv) == 0 || s.Argv[0] == "":
		return "has no words"
	case !s.Complete && (len(s.Argv) != 1 || s.KnownSafe || s.Prefix != nil || s.CodeAt != 0 || !printable(s.Diagnostic)):
		return "is opaque, but not as one"
	case s.Complete && (s.Words != nil || s.Diagnostic != "" || slices.Contains(s.Dynamic, 0)):
		return "is complete, but not as one"
	case !slices.IsSorted(s.Dynamic) || len(s.Dynamic) > 0 && s.Dynamic[len(s.Dynamic)-1] >= len(words):
		return "has dynamic words that it does not have"
	case s.CodeAt < 0 || s.CodeAt >= len(s.Argv):
		return "has its code behind its words"
	case len(s.Prefix) > len(s.Argv) || s.Prefix != nil && !slices.Equal(s.Prefix, s.Argv[:len(s.Prefix)]):
		return "has a prefix that it does not begin with"
	case slices.ContainsFunc(s.Files, func(f File) bool { return f.Text == "" }):
		return "has a file without a name"
	}
	return ""
}

func argvs(stages []Stage) [][]string {
	var out [][]string
	for _, s := range stages {
		out = append(out, s.Argv)
	}
	return out
}

func printable(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) < 0
}

var fuzzSeeds = []string{
	"", "git add a.txt && git commit -q -m wip", "cat 'a b' | tee \"M\\\"K\" ; [ -f x ]", "a # b\\\nc",
	"a\\\\\\\nb", "$'\\x72\\x6d' -rf", "echo {a,b} ~ *", "sh <<'EOF'\nrm\nEOF", "((((", "printf -v a b",
	"ls =(a) *(e:b:)", "echo à \u202e", "a|b||c;\n\nd &", "'' a", "\"\\\n\"", "a\r\nb", "\xff",
	"for f in a b; do echo \"$f\" ${x:-y}; done > o 2>&1", "while read -r l; do :; done < <(ls -l `pwd`)",
	"case $x in a|b) ls;; (*) exit 1;; esac", "if [[ -f x && $y =~ ^[0-9]+$ ]]; then f() { ls; }; fi",
	"cat <<-EOF | sh\n\ta $(ls) ${y%%/*}\n\tEOF\n", "a=1 b=$(c $((1+2))) d", "export A=b; sudo -u x nice -n 5 rm y",
	"(cd x && ls) & { time ! ls; }; until a; do b; done", "xargs -I{} sh -c 'echo {}' <<< \"a b\"",
	"git -c a=b log; find . -exec rm {} \\;", "sed -n 's/a/b/w x' y; awk '{print > \"x\"}'", "=fi(($]]", "<<i$f[~ \n",
	"printf 'ab%n%*d' PATH a[b] c", "sed -nl 1p --line-len 5 -f - x", "make -sf - --file= --makef", "find a -exec b {} + -exec c{} d \\; -print", "git config --type x a b --get",
	"a[0]=b c", "${a[@]} ${#a} ${a/b/c} $? $$ $!", "cat >| x <> y &> z {fd}> w",
}
