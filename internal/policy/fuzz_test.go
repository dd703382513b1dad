package policy_test

import (
	"testing"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
	split "github.com/approvald/approvald/internal/policy/shell"
)

// FuzzCommands asks about texts as agents send them: without rules nothing is
// allowed that the splitter does not know to be safe, and no verdict is weaker
// for a deny rule.
func FuzzCommands(f *testing.F) {
	for _, text := range []string{
		"git status", "rm -r -f build", "cd x && make", "echo a > b", "sh -c 'rm x'", "ls | xargs rm", "$x", "approvald decide", "",
		"cat <<EOF\n$(rm x)\nEOF", "for i in a; do echo \"$i\"; done", "git log \"$x\" -- *", "\x00", "true; [ -f a ]",
	} {
		f.Add(text)
	}
	bare, open := compile(f), compile(f, argv(allow, ""), readOnly("git", "sed", "find"))
	bound := compile(f, argv(allow, ""), readOnly("git", "sed", "find"), argv(deny, "rm -rf"), argv(ask, "git push"), glob(deny, read, "**/.env"))
	f.Fuzz(func(t *testing.T, text string) {
		stages := split.Stages(text, "bash", root)
		a := approval.Action{Subject: approval.Shell{Command: text, Cwd: root, Shell: "bash", Stages: policy.Stages(approval.ID{}, stages)}}
		for _, st := range stages {
			p := approval.Part{Words: st.Words, Dynamic: st.Dynamic, Launchers: st.Launchers, Code: st.Code, CodeAt: st.CodeAt}
			for _, file := range st.Files {
				p.Targets = append(p.Targets, approval.Target{Access: file.Access, Redirected: file.Redirected, Text: file.Text, Unresolved: "not inspected"})
			}
			a.Found.Parts = append(a.Found.Parts, p)
		}
		if v := bare.Evaluate(a, in(approval.PromptUnmatched)); v.Effect == allow {
			for _, st := range stages {
				if !st.KnownSafe {
					t.Fatalf("%q is allowed by nothing: %+v", text, v)
				}
			}
		}
		for _, mode := range approval.Modes {
			free, strict := open.Evaluate(a, in(mode)), bound.Evaluate(a, in(mode))
			if strict.Effect < free.Effect || strict.Explanation == "" || free.Explanation == "" {
				t.Fatalf("%q: %+v, with rules that bind %+v", text, free, strict)
			}
		}
	})
}
