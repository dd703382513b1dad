package policy_test

import (
	"strings"
	"testing"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
)

// The table of policy.md "Verdict": what each mode makes of what a rule says.
func TestModesAgainstRules(t *testing.T) {
	for _, c := range []struct {
		mode                              approval.Mode
		allowed, asked, denied, protected policy.Effect
	}{
		{approval.AllowAll, allow, allow, deny, ask},
		{approval.PromptUnmatched, allow, ask, deny, ask},
		{approval.OnRequest, allow, ask, deny, ask},
		{approval.DenyUnmatched, allow, deny, deny, deny},
		{unheardOf, allow, deny, deny, deny},
	} {
		for name, cell := range map[string]struct {
			rules  []policy.Rule
			action approval.Action
			want   policy.Effect
		}{
			"allow, shell":   {rules(argv(allow, "make")), command(run("make")), c.allowed},
			"ask, shell":     {rules(argv(ask, "make")), command(run("make")), c.asked},
			"deny, shell":    {rules(argv(deny, "make")), command(run("make")), c.denied},
			"allow, file":    {rules(glob(allow, write, "a")), fileAt(write, "/srv/app/a"), c.allowed},
			"ask, file":      {rules(glob(ask, write, "a")), fileAt(write, "/srv/app/a"), c.asked},
			"deny, file":     {rules(glob(deny, write, "a")), fileAt(write, "/srv/app/a"), c.denied},
			"protected file": {nil, fileAt(write, "/srv/app/.git"), c.protected},
			"allow, network": {rules(host(allow, "example.org", 0)), https("example.org"), c.allowed},
			"ask, network":   {rules(host(ask, "example.org", 0)), https("example.org"), c.asked},
			"deny, network":  {rules(host(deny, "example.org", 0)), https("example.org"), c.denied},
			"allow, tool":    {rules(tool(allow, "s", "t")), call("s", "t"), c.allowed},
			"ask, tool":      {rules(tool(ask, "s", "t")), call("s", "t"), c.asked},
			"deny, tool":     {rules(tool(deny, "s", "t")), call("s", "t"), c.denied},
		} {
			t.Run(string(c.mode)+", "+name, func(t *testing.T) {
				v := compile(t, cell.rules...).Evaluate(cell.action, in(c.mode))
				if v.Effect != cell.want {
					t.Errorf("%v, want %v: %s", v.Effect, cell.want, v.Explanation)
				}
				if (v.Resolution == approval.Resolution{}) != (v.Effect == ask) {
					t.Errorf("%v ends as %+v", v.Effect, v.Resolution)
				}
			})
		}
	}
}

func TestAskBeatsASessionGrantAndAGrantBeatsTheMode(t *testing.T) {
	for _, c := range []struct {
		name   string
		rules  []policy.Rule
		action approval.Action
		want   policy.Effect
	}{
		{"nothing", nil, command(run("make")), allow},
		{"an opaque stage", nil, command(run("!make $x")), allow},
		{"a near miss", rules(argv(deny, "make -k")), command(run("make -j")), allow},
		{"ask", rules(argv(ask, "make")), command(run("make")), ask},
		{"ask about one of two", rules(argv(ask, "make")), command(run("ls"), run("make")), ask},
		{"deny", rules(argv(deny, "make")), command(run("make")), deny},
		{"ask, file", rules(glob(ask, write, "a")), fileAt(write, "/srv/app/a"), ask},
		{"deny, file", rules(glob(deny, write, "a")), fileAt(write, "/srv/app/a"), deny},
		{"ask about the file of a command", rules(glob(ask, write, "a")), command(run("echo a", to("/srv/app/a"))), ask},
		{"ask, network", rules(host(ask, "*", 0)), https("example.org"), ask},
		{"ask, tool", rules(tool(ask, "s", "t")), call("s", "t"), ask},
	} {
		t.Run(c.name, func(t *testing.T) {
			context := in(approval.PromptUnmatched)
			context.Granted = everything
			v := compile(t, c.rules...).Evaluate(c.action, context)
			if v.Effect != c.want || v.Menu.Session || (v.Source == "sessionGrant") != (c.want == allow) {
				t.Errorf("%v by %s, menu %+v: %s", v.Effect, v.Source, v.Menu, v.Explanation)
			}
		})
	}
}

func TestTheStrictestRegimeBinds(t *testing.T) {
	regime := func(m approval.Mode, p approval.Preset) policy.Regime {
		return policy.Regime{Mode: m, Preset: p, Root: "/srv/app"}
	}
	p := compile(t)
	for _, c := range []struct {
		name   string
		action approval.Action
		under  []policy.Regime
		want   policy.Effect
		says   string
	}{
		{"own allows, parent asks", command(run("make")), []policy.Regime{regime(approval.AllowAll, ""), regime(approval.PromptUnmatched, "")}, ask, "an ancestor session's mode"},
		{"own asks, parent allows", command(run("make")), []policy.Regime{regime(approval.PromptUnmatched, ""), regime(approval.AllowAll, "")}, ask, "the mode promptUnmatched"},
		{"grandparent denies", command(run("make")), []policy.Regime{regime(approval.AllowAll, ""), regime(approval.AllowAll, ""), regime(approval.DenyUnmatched, "")}, deny, "denyUnmatched"},
		{"all allow", command(run("make")), []policy.Regime{regime(approval.AllowAll, ""), regime(approval.OnRequest, "")}, allow, "allowAll"},
		{"no regime", command(run("make")), nil, deny, "Nothing says"},
		{"both presets cover", fileAt(read, "/srv/app/a"), []policy.Regime{regime(approval.PromptUnmatched, approval.ReadOnly), regime(approval.PromptUnmatched, approval.WorkspaceWrite)}, allow, "The preset read-only"},
		{"the parent's is about another workspace", fileAt(read, "/srv/app/a"), []policy.Regime{regime(approval.PromptUnmatched, approval.ReadOnly), {Mode: approval.PromptUnmatched, Preset: approval.ReadOnly, Root: "/srv/lib"}}, ask, "an ancestor session's"},
		{"the parent's does not", fileAt(write, "/srv/app/a"), []policy.Regime{regime(approval.PromptUnmatched, approval.WorkspaceWrite), regime(approval.PromptUnmatched, approval.ReadOnly)}, ask, "an ancestor session's"},
		{"a preset and a mode that allows", fileAt(write, "/srv/app/a"), []policy.Regime{regime(approval.PromptUnmatched, approval.WorkspaceWrite), regime(approval.AllowAll, "")}, allow, "workspace-write"},
		{"the parent asks nobody", fileAt(write, "/srv/app/.git"), []policy.Regime{regime(approval.PromptUnmatched, ""), regime(approval.AllowAll, approval.DangerFullAccess)}, deny, "danger-full-access"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := p.Evaluate(c.action, policy.Context{Root: root, Under: c.under})
			if v.Effect != c.want || !strings.Contains(v.Explanation, c.says) {
				t.Errorf("%v, want %v: %s", v.Effect, c.want, v.Explanation)
			}
		})
	}
}

func TestPresets(t *testing.T) {
	p := compile(t, glob(ask, read, "ask"), glob(deny, read, "deny"))
	for _, c := range []struct {
		preset approval.Preset
		action approval.Action
		want   policy.Effect
	}{
		{approval.ReadOnly, fileAt(read, "/srv/app/a"), allow},
		{approval.ReadOnly, fileAt(write, "/srv/app/a"), ask},
		{approval.ReadOnly, fileAt(read, "/srv/app2/a"), ask},
		{approval.ReadOnly, fileAt(read, "/etc/a", written("/srv/app/a")), ask},
		{approval.ReadOnly, fileAt(read, "/srv/app/ask"), ask},
		{approval.ReadOnly, fileAt(read, "/srv/app/deny"), deny},
		{approval.ReadOnly, command(run("ls")), ask},
		{approval.WorkspaceWrite, fileAt(write, "/srv/app/a"), allow},
		{approval.WorkspaceWrite, fileAt(read, "/srv/app/a"), allow},
		{approval.WorkspaceWrite, fileAt(write, "/srv/app/.git/hooks/a"), ask},
		{"unheard-of", fileAt(read, "/srv/app/a"), ask},
	} {
		a := c.action.Subject
		t.Run(string(c.preset)+" "+a.Kind(), func(t *testing.T) {
			context := in(approval.PromptUnmatched)
			context.Under[0].Preset = c.preset
			if v := p.Evaluate(c.action, context); v.Effect != c.want {
				t.Errorf("%+v: %v, want %v: %s", a, v.Effect, c.want, v.Explanation)
			}
		})
	}
}

func TestRulesOfAWorkspaceHoldInItAlone(t *testing.T) {
	p := compileSetup(t, policy.Setup{Stores: map[string]policy.Layer{root: layer(
		argv(allow, "make"), glob(allow, write, "/srv/app/a"), host(allow, "example.org", 443), argv(deny, "rm"),
	)}})
	inside, below, out := command(run("make")), command(run("make")), command(run("make"))
	for cwd, a := range map[string]*approval.Action{"/srv/app": &inside, "/srv/app/src": &below, "/srv/app2": &out} {
		s, _ := a.Subject.(approval.Shell)
		s.Cwd = cwd
		a.Subject = s
	}
	for _, c := range []struct {
		name   string
		root   string
		action approval.Action
		want   policy.Effect
	}{
		{"in the workspace", root, inside, allow},
		{"below it", root, below, allow},
		{"outside of it", root, out, ask},
		{"in another session", "/srv/app2", inside, ask},
		{"in none", "", inside, ask},
		{"a file", root, fileAt(write, "/srv/app/a"), allow},
		{"a file in another session", "/srv/app2", fileAt(write, "/srv/app/a"), ask},
		{"a host", root, https("example.org"), allow},
		{"a host in another session", "/srv/app2", https("example.org"), ask},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := p.Evaluate(c.action, policy.Context{Root: c.root, Under: under(approval.PromptUnmatched)})
			if v.Effect != c.want {
				t.Errorf("%v, want %v: %s", v.Effect, c.want, v.Explanation)
			}
		})
	}
}

func TestARuleOfTheSessionHoldsUntilItsGrantIsRevoked(t *testing.T) {
	id := approval.ID{15: 7}
	fresh := argv(allow, "make")
	fresh.Grant = id
	stored := argv(allow, "go test")
	stored.Grant = id
	stored.Ref = policy.Ref{Layer: "workspace", Index: 1}
	p := compileSetup(t, policy.Setup{Stores: map[string]policy.Layer{root: {Rules: []policy.Rule{stored}}}})
	for _, c := range []struct {
		name    string
		words   string
		root    string
		revoked bool
		want    policy.Effect
	}{
		{"the session's", "make all", root, false, allow},
		{"the session's, revoked", "make all", root, true, ask},
		{"the session's, without a workspace", "make all", "", false, ask},
		{"the store's", "go test ./x", root, false, allow},
		{"the store's, revoked", "go test ./x", root, true, ask},
	} {
		t.Run(c.name, func(t *testing.T) {
			context := policy.Context{
				Root: c.root, Under: under(approval.PromptUnmatched), Rules: rules(fresh, policy.Rule{Kind: "nonsense"}),
				Revoked: func(g approval.ID) bool { return c.revoked && g == id },
			}
			if v := p.Evaluate(command(run(c.words)), context); v.Effect != c.want {
				t.Errorf("%v, want %v: %s", v.Effect, c.want, v.Explanation)
			}
		})
	}
}

func TestTheVerdictNamesTheRuleAndItsReason(t *testing.T) {
	r := argv(deny, "rm")
	r.Reason = "use trash\x1b[2J"
	v := compile(t, argv(allow, ""), r).Evaluate(command(run("ls"), run("rm a")), in(approval.PromptUnmatched))
	const place = "user rule 2 (policy.toml:5)"
	if v.Rule != place || v.Source != "rule" || v.Resolution != approval.ByRuleDeny {
		t.Errorf("rule %q, source %s, %+v", v.Rule, v.Source, v.Resolution)
	}
	for _, text := range []string{v.Explanation, v.Stages[1].Diagnostic} {
		if !strings.Contains(text, place) && !strings.Contains(text, "User rule 2 (policy.toml:5)") || !strings.Contains(text, `use trash\x1b[2J`) {
			t.Errorf("it says %q", text)
		}
	}
	if !strings.HasPrefix(v.Stages[1].Diagnostic, "policyDeny: ") || !v.Stages[1].Open() {
		t.Errorf("the denied stage is %+v", v.Stages[1])
	}
	if v.Stages[0].Kind != approval.StagePolicyAllow || v.Stages[0].Diagnostic != "user rule 1 (policy.toml:1)" {
		t.Errorf("the other stage is %+v", v.Stages[0])
	}
}

func TestAgentMayChoose(t *testing.T) {
	p := compileSetup(t, policy.Setup{AgentPresets: []approval.Preset{approval.WorkspaceWrite}, NoInherit: true})
	for preset, want := range map[approval.Preset]bool{
		approval.ReadOnly: true, approval.WorkspaceWrite: true, approval.DangerFullAccess: false, "": false,
	} {
		if p.AgentMayChoose(preset) != want {
			t.Errorf("%q: %v", preset, !want)
		}
	}
	if !p.NoInherit() || none.NoInherit() || !none.AgentMayChoose(approval.ReadOnly) || none.AgentMayChoose(approval.WorkspaceWrite) {
		t.Error("the settings did not arrive, or the zero policy has some")
	}
}
