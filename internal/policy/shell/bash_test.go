package shell

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A static text must be complete, and every stage must be what the shell runs. Each command returns
// the status that makes the shell go on with the next one.
func TestStagesAgreeWithShellOnStaticCommands(t *testing.T) {
	for _, dialect := range []struct{ name, shell string }{{"bash", "bash"}, {"sh", "dash"}} {
		t.Run(dialect.shell, func(t *testing.T) {
			shell := findShell(t, dialect.shell)
			rapid.Check(t, func(t *rapid.T) {
				command := drawCommand(t)
				var want [][]string
				for _, stage := range Stages(command, dialect.name, cwd) {
					if !stage.Complete {
						t.Fatalf("%q is opaque: %s", command, stage.Diagnostic)
					}
					want = append(want, stage.Argv)
				}
				prelude := "ok() { report ok \"$@\"; }\nno() { report no \"$@\"; return 1; }"
				got := shell.run(t, prelude, command)
				if diff := cmp.Diff(got, want); diff != "" {
					t.Fatalf("%q: (-%s +Stages)\n%s", command, dialect.shell, diff)
				}
			})
		})
	}
}

// drawCommand draws a text within the accepted grammar.
func drawCommand(t *rapid.T) string {
	blank := rapid.SampledFrom([]string{" ", "  ", "\t", " \\\n"})
	bare := rapid.StringOfN(rapid.RuneFrom([]rune("abAB09_-./,:@%+=#^}]!é日")), 0, 5, -1)
	text := rapid.StringOfN(rapid.RuneFrom([]rune("ab \t\n\\\"$`'*?[]{}~#&|;<>()!à日")), 0, 5, -1)
	piece := rapid.OneOf(
		rapid.Map(bare, func(s string) string { return "a" + s }),
		rapid.Map(text, func(s string) string { return "'" + strings.ReplaceAll(s, "'", "") + "'" }),
		rapid.Map(text, func(s string) string {
			s = strings.ReplaceAll(s, "\\\n", "\n") // opaque, as is a continuation there
			return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(s) + `"`
		}),
		rapid.SampledFrom([]string{`\a`, `\ `, `\"`, `\'`, `\\`, `\$`, "\\`", `\*`, `\~`, `\#`, `\;`, `\é`, `"\a"`, `"a$"`, "a\\\nb"}),
	)
	var b strings.Builder
	stages := rapid.IntRange(1, 5).Draw(t, "stages")
	for i := range stages {
		op := rapid.SampledFrom([]string{"&&", "||", ";", "\n", "|", "&&\n", "||\n", "|\n", " #'c\n"}).Draw(t, "op")
		if name := rapid.SampledFrom([]string{"ok", "no"}).Draw(t, "name"); strings.HasPrefix(op, "&&") {
			b.WriteString("ok")
		} else if strings.HasPrefix(op, "||") {
			b.WriteString("no")
		} else {
			b.WriteString(name)
		}
		for range rapid.IntRange(0, 4).Draw(t, "words") {
			b.WriteString(blank.Draw(t, "blank"))
			b.WriteString(strings.Join(rapid.SliceOfN(piece, 1, 4).Draw(t, "word"), ""))
		}
		if i < stages-1 {
			b.WriteString(op)
		}
	}
	// A continuation behind an escaped backslash is opaque.
	return strings.ReplaceAll(b.String(), "\\\\\\\n", "\\\\ ")
}

// Whatever Stages calls complete in a soup of shell tokens, bash must run exactly that. Every
// command runs in one of two runs: the first answers success, so && goes on, the second failure.
func TestStagesNeverMisreadsBash(t *testing.T) {
	bash := findShell(t, "bash")
	// Half of the tokens are plain, so that many a soup is complete.
	plain := rapid.SampledFrom(strings.Fields("a b a_b || && | ;"))
	special := rapid.SampledFrom(strings.Split("\\ \\\\ \\\n ' '' \" \"\" # # ~ =~ :~ = { } {a,b} {a..b} , .. * ? [ ] $ ` ! % ^ ( ) < > & - + @ : é à", " "))
	blank := rapid.SampledFrom([]string{" ", " ", " #", "\t", "\n", " \\\n"})
	soup := rapid.Map(rapid.SliceOfN(rapid.OneOf(plain, special, blank), 1, 9),
		func(tokens []string) string { return strings.Join(tokens, "") })
	const handler = `command_not_found_handle() { report "$@"; return $status; }`
	if len(bash.run(t, handler, "a")) == 0 {
		t.Skip("this bash is older than 4.0 and has no command_not_found_handle, so nothing can be observed")
	}
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		for _, command := range rapid.SliceOfN(soup, 12, 12).Draw(t, "soups") {
			stages := Stages(command, "bash", cwd)
			if slices.ContainsFunc(stages, func(s Stage) bool { return !s.Complete || s.Builtin || s.Dynamic != nil || s.Files != nil }) {
				continue // opaque, not known in full, a builtin that reports nothing, or one that leaves a file
			}
			compared++
			var want, got []string
			for _, s := range stages {
				want = append(want, strings.Join(s.Argv, "\x00"))
			}
			for _, status := range []string{"0", "1"} {
				if status == "1" && !strings.Contains(command, "||") {
					break
				}
				for _, argv := range bash.run(t, "status="+status+"\n"+handler, command+"\nwait") {
					got = append(got, strings.Join(argv, "\x00"))
				}
			}
			slices.Sort(want)
			slices.Sort(got)
			if strings.ContainsAny(command, "=<>") { // what is behind the || of an assignment never runs, nor what cannot be redirected
				want = slices.DeleteFunc(want, func(w string) bool { return !slices.Contains(got, w) })
			}
			if len(got)+len(want) == 0 {
				continue
			}
			if diff := cmp.Diff(slices.Compact(got), slices.Compact(want)); diff != "" {
				t.Fatalf("%q: (-bash +Stages)\n%s", command, diff)
			}
		}
	})
	if compared == 0 {
		t.Error("no soup was complete, so nothing was compared")
	}
	t.Logf("%d texts compared", compared)
}
