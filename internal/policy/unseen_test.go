package policy_test

import (
	"testing"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
)

// A rule about a program does not cover a write to a file whose name nobody
// knows: it may be a protected one.
func TestAFileThatOnlyTheShellKnowsMayBeAProtectedOne(t *testing.T) {
	unseen := func(access approval.Access, text string) approval.Target {
		return approval.Target{Access: access, Text: text, Unresolved: "only the running shell knows it"}
	}
	p := compile(t, argv(allow, "cp"))
	for _, c := range []struct {
		text   string
		access approval.Access
		mode   approval.Mode
		want   policy.Effect
	}{
		{`.git/hooks/pre-commi?`, write, approval.PromptUnmatched, ask},
		{`.git/conf*`, write, approval.PromptUnmatched, ask},
		{`"$HOME/.bashrc"`, write, approval.PromptUnmatched, ask},
		{`"$f"`, write, approval.PromptUnmatched, ask},
		{`*/hooks/x`, write, approval.PromptUnmatched, ask},
		{`repo.git/hook*`, write, approval.PromptUnmatched, ask},
		{`/etc/*`, write, approval.PromptUnmatched, ask},
		{`../*.o`, write, approval.PromptUnmatched, ask},
		{`[.]git/config`, write, approval.PromptUnmatched, ask},
		{`*`, write, approval.PromptUnmatched, ask},
		{`*.json`, write, approval.PromptUnmatched, ask},
		{`*.o`, write, approval.PromptUnmatched, allow},
		{`./build/*`, write, approval.PromptUnmatched, ask}, // a name among them may be protected
		{`out/*.txt`, write, approval.PromptUnmatched, allow},
		{`"$f"`, read, approval.PromptUnmatched, allow},
		{`"$f"`, write, approval.AllowAll, allow},
		{`"$f"`, write, approval.DenyUnmatched, deny},
	} {
		t.Run(string(c.access)+" "+c.text+" "+string(c.mode), func(t *testing.T) {
			v := p.Evaluate(command(run("cp a b", touches(unseen(c.access, c.text)))), in(c.mode))
			if v.Effect != c.want {
				t.Errorf("%v, want %v: %s", v.Effect, c.want, v.Explanation)
			}
		})
	}
}
