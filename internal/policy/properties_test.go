package policy_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
)

var (
	someWords = rapid.SampledFrom([]string{
		"git", "rm", "/bin/rm", "push", "-rf", "-r", "-C", "x", "/", "~", "$x", "status", "log", "--", "cat", "approvald", "version", "echo", "*",
	})
	somePaths = rapid.SampledFrom([]string{
		"/srv/app/a", "/srv/app/src/a", "/srv/app", "/srv/app/.git/config", "/etc/passwd", "/data/a", "/srv/app/.env", "/own/log", "",
	})
	someGlobs = rapid.SampledFrom([]string{"**", "/**", "a", "src/**", "**/.env", "/etc/*", "/srv/app/**", "**/a"})
	someHosts = rapid.SampledFrom([]string{"example.org", "a.example.org", "127.0.0.1", "169.254.169.254", "10.0.0.1", "localhost"})
	accesses  = rapid.SampledFrom([]approval.Access{read, write})
	modes     = rapid.SampledFrom(append(slices.Clone(approval.Modes), unheardOf))
	presets   = rapid.SampledFrom(append(slices.Clone(approval.Presets), "", ""))
)

func aRule(effects ...policy.Effect) *rapid.Generator[policy.Rule] {
	return rapid.Custom(func(t *rapid.T) policy.Rule {
		e := rapid.SampledFrom(effects).Draw(t, "effect")
		switch rapid.IntRange(0, 6).Draw(t, "kind") {
		case 0:
			return glob(e, accesses.Draw(t, "access"), someGlobs.Draw(t, "glob"))
		case 1:
			return outside(e, accesses.Draw(t, "access"))
		case 2:
			return host(e, rapid.SampledFrom([]string{"*", "*.example.org", "example.org", "127.0.0.1"}).Draw(t, "host"), rapid.SampledFrom([]int{0, 443, 80}).Draw(t, "port"))
		case 3:
			return class(e, rapid.SampledFrom([]string{"metadata", "loopback", "private"}).Draw(t, "class"))
		case 4:
			return tool(e, rapid.SampledFrom([]string{"*", "s"}).Draw(t, "server"), rapid.SampledFrom([]string{"*", "t"}).Draw(t, "tool"))
		}
		r := policy.Rule{Effect: e, Kind: approval.KindShell, HasArgv: true}
		r.Argv = rapid.SliceOfN(someWords, 0, 3).Draw(t, "argv")
		return r
	})
}

var aTarget = rapid.Custom(func(t *rapid.T) approval.Target {
	target := approval.Target{
		Access: accesses.Draw(t, "access"), Redirected: rapid.Bool().Draw(t, "redirected"),
		Path: somePaths.Draw(t, "path"), Written: somePaths.Draw(t, "written"), Links: rapid.IntRange(0, 2).Draw(t, "links"),
		Type:  rapid.SampledFrom([]approval.TargetType{"", approval.TargetAbsent, approval.TargetRegular, approval.TargetDirectory, approval.TargetSpecial}).Draw(t, "type"),
		Folds: rapid.Bool().Draw(t, "folds"), OfProcess: rapid.IntRange(0, 9).Draw(t, "process") == 0,
	}
	if target.Path == "" || target.Written == "" {
		target.Unresolved = "it is not known"
	}
	return target
})

var aStage = rapid.Custom(func(t *rapid.T) part {
	p := part{argv: rapid.SliceOfN(someWords, 1, 5).Draw(t, "argv")}
	p.opaque = rapid.IntRange(0, 4).Draw(t, "opaque") == 0
	if p.opaque && rapid.Bool().Draw(t, "words") {
		p.Words = p.argv
	}
	for i, w := range p.argv {
		if w == "$x" || w == "*" || w == "~" {
			p.Dynamic = append(p.Dynamic, i)
		}
	}
	p.Elsewhere = rapid.IntRange(0, 4).Draw(t, "elsewhere") == 0
	p.Launchers = rapid.SampledFrom([][][]string{nil, nil, {{"env"}}, {{"sudo", "-n"}}, {{"xargs"}}}).Draw(t, "launchers")
	p.Code = rapid.SampledFrom([][][]string{nil, nil, {{"rm", "-rf", "x"}}}).Draw(t, "code")
	if rapid.IntRange(0, 9).Draw(t, "nonsense") == 0 {
		p.Dynamic = append(p.Dynamic, 99, -1)
	}
	p.CodeAt = rapid.SampledFrom([]int{0, 0, 1}).Draw(t, "codeAt")
	p.Targets = rapid.SliceOfN(aTarget, 0, 2).Draw(t, "targets")
	p.as.Kind = rapid.SampledFrom([]approval.StageState{"", "", "", approval.StageKnownSafe, approval.StageAllowOnce}).Draw(t, "resolution")
	return p
})

var anAction = rapid.Custom(func(t *rapid.T) approval.Action {
	var a approval.Action
	switch rapid.IntRange(0, 6).Draw(t, "subject") {
	case 0:
		target := aTarget.Draw(t, "target")
		a = approval.Action{Subject: approval.File{Path: target.Path, RequestedPath: target.Written, Access: string(target.Access)}}
		if rapid.Bool().Draw(t, "inspected") {
			a.Found.File = &target
		}
	case 1:
		a = connect(someHosts.Draw(t, "host"), rapid.SampledFrom([]int{80, 443}).Draw(t, "port"), rapid.SampledFrom([]string{"http", "https", "tcp"}).Draw(t, "protocol"))
	case 2:
		a = call("s", rapid.SampledFrom([]string{"t", "u"}).Draw(t, "tool"))
	case 3:
		a = approval.Action{Subject: stranger}
	default:
		a = command(rapid.SliceOfN(aStage, 0, 3).Draw(t, "stages")...)
		if rapid.IntRange(0, 9).Draw(t, "uninspected") == 0 {
			a.Found = approval.Found{}
		}
	}
	a.Requested = rapid.Bool().Draw(t, "requested")
	return a
})

var aContext = rapid.Custom(func(t *rapid.T) policy.Context {
	c := policy.Context{Root: rapid.SampledFrom([]string{root, ""}).Draw(t, "root")}
	for range rapid.IntRange(1, 3).Draw(t, "regimes") {
		c.Under = append(c.Under, policy.Regime{Mode: modes.Draw(t, "mode"), Preset: presets.Draw(t, "preset"), Root: c.Root})
	}
	if rapid.Bool().Draw(t, "granted") {
		c.Granted = everything
	}
	return c
})

var anyEffect = []policy.Effect{allow, ask, deny}

func setup(rules ...policy.Rule) policy.Setup {
	tools := []policy.ToolRule{{Server: "s", Tool: "u", Mode: policy.OncePerSession}}
	l := layer(rules...)
	l.Tools = tools
	return policy.Setup{Layers: []policy.Layer{l}, Own: []string{"/own"}}
}

func must(t *rapid.T, from policy.Setup) *policy.Policy {
	p, err := policy.Compile(from)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestVerdictsAreWellFormed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := rapid.SliceOfN(aRule(anyEffect...), 0, 4).Draw(t, "rules")
		a, c := anAction.Draw(t, "action"), aContext.Draw(t, "context")
		before := fmt.Sprintf("%+v %+v", a, c)
		p := must(t, setup(rules...))
		v := p.Evaluate(a, c)
		switch {
		case v.Explanation == "" || v.Source == "":
			t.Fatalf("not explained: %+v", v)
		case (v.Effect == ask) != (v.Resolution == approval.Resolution{}):
			t.Fatalf("it ends as %+v", v)
		case v.Effect != ask && v.Resolution.Allowed() != (v.Effect == allow):
			t.Fatalf("it ends as %+v", v)
		case v.Effect != ask && (v.Menu != policy.Menu{} || v.Protected):
			t.Fatalf("a menu for nothing: %+v", v)
		case v.Protected && v.Menu != policy.Menu{}:
			t.Fatalf("a protected write offers %+v", v.Menu)
		case v.Menu.OnlySession && !v.Menu.Session:
			t.Fatalf("nothing can be chosen: %+v", v.Menu)
		}
		open := 0
		for i, stage := range v.Stages {
			if stage.Open() {
				open++
				if stage.Diagnostic == "" {
					t.Fatalf("stage %d does not say why it is open: %+v", i, v)
				}
			}
		}
		if len(v.Stages) > 0 && (v.Effect == allow) != (open == 0) {
			t.Fatalf("%v with %d open stages: %+v", v.Effect, open, v)
		}
		if diff := cmp.Diff(v, p.Evaluate(a, c)); diff != "" {
			t.Fatalf("asked again (-first +second):\n%s", diff)
		}
		if after := fmt.Sprintf("%+v %+v", a, c); after != before {
			t.Fatalf("it changed what it was given:\n%s\n%s", before, after)
		}
	})
}

func TestAddingARuleThatBindsNeverWeakensAVerdict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := rapid.SliceOfN(aRule(anyEffect...), 0, 4).Draw(t, "rules")
		more := aRule(ask, deny).Draw(t, "more")
		a, c := anAction.Draw(t, "action"), aContext.Draw(t, "context")
		before, after := must(t, setup(rules...)).Evaluate(a, c), must(t, setup(append(rules, more)...)).Evaluate(a, c)
		if after.Effect < before.Effect {
			t.Fatalf("%v became %v:\n%s\n%s", before.Effect, after.Effect, before.Explanation, after.Explanation)
		}
	})
}

func TestAddingAnAllowRuleChangesNothingThatARuleBinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := rapid.SliceOfN(aRule(anyEffect...), 0, 4).Draw(t, "rules")
		more := aRule(allow).Draw(t, "more")
		a, c := anAction.Draw(t, "action"), aContext.Draw(t, "context")
		before, after := must(t, setup(rules...)).Evaluate(a, c), must(t, setup(append(rules, more)...)).Evaluate(a, c)
		if before.Source == "rule" && before.Effect != allow && !isDoubt(before, rules) && after.Effect != before.Effect {
			t.Fatalf("%v became %v:\n%s\n%s", before.Effect, after.Effect, before.Explanation, after.Explanation)
		}
		if after.Effect > before.Effect {
			t.Fatalf("it became stricter, %v:\n%s\n%s", after.Effect, before.Explanation, after.Explanation)
		}
	})
}

// isDoubt reports whether a rule only may mean the action, so that an allow
// rule which says more is heard.
func isDoubt(v policy.Verdict, _ []policy.Rule) bool { return v.Menu.Session }

func TestAnAncestorNeverWeakensAVerdict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := must(t, setup(rapid.SliceOfN(aRule(anyEffect...), 0, 4).Draw(t, "rules")...))
		a, c := anAction.Draw(t, "action"), aContext.Draw(t, "context")
		before := p.Evaluate(a, c)
		c.Under = append(slices.Clone(c.Under), policy.Regime{Mode: modes.Draw(t, "ancestor"), Preset: presets.Draw(t, "its preset"), Root: c.Root})
		if after := p.Evaluate(a, c); after.Effect < before.Effect {
			t.Fatalf("%v became %v:\n%s\n%s", before.Effect, after.Effect, before.Explanation, after.Explanation)
		}
	})
}

func TestWithoutRulesNothingIsAllowedButWhatIsKnownToBeSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anAction.Draw(t, "action")
		v := must(t, policy.Setup{}).Evaluate(a, in(approval.PromptUnmatched))
		s, shell := a.Subject.(approval.Shell)
		settled := shell && len(s.Stages) > 0
		for _, stage := range s.Stages {
			settled = settled && !stage.Resolution.Open()
		}
		if v.Effect == allow && !settled {
			t.Fatalf("allowed: %+v", v)
		}
	})
}

// What an allow rule lets through begins with its words, all of them known.
func TestWhatIsAllowedBeginsWithTheWordsOfARule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := rapid.SliceOfN(aRule(anyEffect...), 1, 4).Draw(t, "rules")
		stage := aStage.Draw(t, "stage")
		stage.as.Kind = ""
		v := must(t, setup(rules...)).Evaluate(command(stage), in(approval.PromptUnmatched))
		if v.Effect != allow {
			return
		}
		for _, r := range rules {
			n := len(r.Argv)
			known := !slices.ContainsFunc(stage.Dynamic, func(i int) bool { return i >= 0 && (i < n || i == 0) })
			if r.Effect == allow && r.HasArgv && n <= len(stage.argv) && slices.Equal(r.Argv, stage.argv[:n]) &&
				known && !stage.opaque && (stage.CodeAt == 0 || n > stage.CodeAt) {
				return
			}
		}
		t.Fatalf("allowed: %+v", v)
	})
}
