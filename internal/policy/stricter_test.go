package policy_test

import (
	"testing"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
)

// A child that names another workspace than its parent's is bound by what rules
// and presets say of the parent's as well.
func TestAChildWidensNothingByNamingAnotherWorkspace(t *testing.T) {
	const parent = root // the ancestor's; the child's is below it, or elsewhere
	elsewhere, below := "/srv/lib", parent+"/secret"
	protecting, err := policy.Compile(policy.Setup{Layers: []policy.Layer{{Protected: []string{"secret/**"}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		policy *policy.Policy
		root   string
		action approval.Action
		want   policy.Effect
	}{
		{"a relative allow rule", compile(t, glob(allow, write, "src/**")), elsewhere, fileAt(write, elsewhere+"/src/a"), ask},
		{"a relative deny rule", compile(t, glob(deny, write, "secret/**")), below, fileAt(write, below+"/a"), deny},
		{"a deny rule for what is outside", compile(t, outside(deny, write)), elsewhere, fileAt(write, elsewhere+"/a"), deny},
		{"a protected place", protecting, below, fileAt(write, below+"/a"), ask},
		{"an absolute allow rule, of both", compile(t, glob(allow, write, "/srv/**")), elsewhere, fileAt(write, elsewhere+"/a"), allow},
		{"a command that writes", compile(t, argv(allow, "echo"), glob(allow, write, "src/**")), elsewhere, command(run("echo a", to(elsewhere+"/src/a"))), ask},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := c.policy.Evaluate(c.action, policy.Context{Root: c.root, Above: []string{parent}, Under: under(approval.PromptUnmatched)})
			if v.Effect != c.want {
				t.Errorf("%v, want %v: %s", v.Effect, c.want, v.Explanation)
			}
			if v.Effect == ask && v.Menu.Persist != nil {
				t.Errorf("it offers a rule that would not settle it: %+v", v.Menu.Persist)
			}
			if c.name == "a protected place" && (!v.Protected || v.Menu.Session) {
				t.Errorf("protected %v, menu %+v", v.Protected, v.Menu)
			}
			if open := v.Effect != allow; len(v.Stages) > 0 && v.Stages[0].Open() != open {
				t.Errorf("stages %+v", v.Stages)
			}
		})
	}
}
