package shell

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// For every text in every dialect: the result has one of its two shapes, is the same when asked
// again, and a complete one says what it says however its words are quoted.
func FuzzStages(f *testing.F) {
	for _, command := range []string{
		"", "git add a.txt && git commit -q -m wip", "cat 'a b' | tee \"M\\\"K\" ; [ -f x ]", "a # b\\\nc",
		"a\\\\\\\nb", "$'\\x72\\x6d' -rf", "echo {a,b} ~ *", "sh <<'EOF'\nrm\nEOF", "((((", "printf -v a b",
		"ls =(a) *(e:b:)", "echo à \u202e", "a|b||c;\n\nd &", "'' a", "\"\\\n\"", "a\r\nb", "\xff",
	} {
		for _, dialect := range []string{"bash", "sh", "zsh"} {
			f.Add(command, dialect)
		}
	}
	f.Fuzz(func(t *testing.T, command, dialect string) {
		got := Stages(command, dialect)
		if diff := cmp.Diff(got, Stages(command, dialect)); diff != "" {
			t.Fatalf("asked twice: (-first +second)\n%s", diff)
		}
		if len(got) == 0 || len(got) > maxStages {
			t.Fatalf("%d stages", len(got))
		}
		if !got[0].Complete {
			if len(got) != 1 || len(got[0].Argv) != 1 || got[0].Argv[0] != command || got[0].KnownSafe || !printable(got[0].Diagnostic) {
				t.Fatalf("an opaque result must be one stage with the text and a reason: %+v", got)
			}
			return
		}
		var quoted strings.Builder
		for _, stage := range got {
			if !stage.Complete || stage.Diagnostic != "" || len(stage.Argv) == 0 || stage.Argv[0] == "" {
				t.Fatalf("a malformed stage among complete ones: %+v", stage)
			}
			for _, word := range stage.Argv {
				quoted.WriteString("'" + strings.ReplaceAll(word, "'", `'\''`) + "' ")
			}
			quoted.WriteString("\n")
		}
		if quoted.Len() > maxBytes {
			return
		}
		if diff := cmp.Diff(got, Stages(quoted.String(), dialect)); diff != "" {
			t.Fatalf("quoted again as %q: (-first +second)\n%s", &quoted, diff)
		}
	})
}

func printable(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) < 0
}
