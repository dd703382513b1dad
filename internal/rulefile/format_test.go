package rulefile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
	"github.com/approvald/approvald/internal/rulefile"
)

// A rule that a file can hold is read back as it was, and so a reviewer who saw
// it saw what was written. A rule that it cannot hold is refused by Parse.
func TestARuleWrittenAndReadIsTheSameRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule := anyRule().Draw(t, "rule")
		file, err := rulefile.Parse("policy.toml", rulefile.User, []byte(rulefile.Format(rule)))
		if err != nil {
			t.Fatalf("%v\n%s", err, rulefile.Format(rule))
		}
		if len(file.Body.Rules) != 1 {
			t.Fatalf("read as %d rules", len(file.Body.Rules))
		}
		got := file.Body.Rules[0]
		if got.Ref != (policy.Ref{Layer: rulefile.User, File: "policy.toml", Index: 1, Line: 1}) {
			t.Errorf("it stands at %+v", got.Ref)
		}
		got.Ref = policy.Ref{}
		if diff := cmp.Diff(rule, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("read back (-want +got):\n%s\n%s", diff, rulefile.Format(rule))
		}
		if !rulefile.SameRule(rule, got) {
			t.Fatal("they are not the same")
		}
	})
}

// Whatever text a member holds, the rule is read back as it was or not at all.
func TestARuleOfHostileTextIsTheSameRuleOrNone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("\"\\'\n\t#[]= \u202e\x00\x7fa~/*")))).Draw(t, "text")
		rule := rapid.SampledFrom([]policy.Rule{
			{Effect: policy.Deny, Kind: approval.KindShell, HasArgv: true, Argv: []string{"ls", text}, Reason: "r"},
			{Effect: policy.Allow, Kind: approval.KindFile, Access: approval.Read, Glob: text},
			{Effect: policy.Ask, Kind: approval.KindNetwork, Host: text},
			{Effect: policy.Ask, Kind: approval.KindProcess, Action: "signal", Target: text},
			{Effect: policy.Allow, Kind: approval.KindTool, Server: text, Tool: "t"},
			{Effect: policy.Allow, Kind: approval.KindTool, Server: "s", Tool: text, Reason: text},
		}).Draw(t, "rule")
		file, err := rulefile.Parse("policy.toml", rulefile.User, []byte(rulefile.Format(rule)))
		if err != nil {
			if len(file.Body.Rules) > 0 {
				t.Fatal("rules beside an error")
			}
			return
		}
		if len(file.Body.Rules) != 1 || !rulefile.SameRule(rule, file.Body.Rules[0]) {
			// A target that is empty is none.
			if rule.Kind != approval.KindProcess || text != "" {
				t.Fatalf("read back as %+v", file.Body.Rules)
			}
		}
	})
}

func TestRulesThatSayOtherThingsAreNotTheSame(t *testing.T) {
	base := policy.Rule{Effect: policy.Allow, Kind: approval.KindShell, HasArgv: true, Argv: []string{"ls"}, Reason: "r", Grant: grantID(1)}
	for name, change := range map[string]func(*policy.Rule){
		"effect":   func(r *policy.Rule) { r.Effect = policy.Deny },
		"words":    func(r *policy.Rule) { r.Argv = []string{"ls", "-l"} },
		"programs": func(r *policy.Rule) { r.Programs = []string{"ls"} },
		"catchall": func(r *policy.Rule) { r.HasArgv = false },
		"reason":   func(r *policy.Rule) { r.Reason = "" },
		"grant":    func(r *policy.Rule) { r.Grant = grantID(2) },
		"glob":     func(r *policy.Rule) { r.Glob = "**" },
	} {
		t.Run(name, func(t *testing.T) {
			other := base
			change(&other)
			if rulefile.SameRule(base, other) {
				t.Error("they are the same")
			}
		})
	}
}

func TestWhereARuleStandsIsNoPartOfWhatItSays(t *testing.T) {
	rule := policy.Rule{Effect: policy.Allow, Kind: approval.KindFile, Access: approval.Read, Glob: "/a/**"}
	there := rule
	there.Ref, there.Resolved = policy.Ref{Layer: rulefile.User, Line: 3}, "/b/**"
	if !rulefile.SameRule(rule, there) {
		t.Error("they differ")
	}
}

// anyRule draws rules that a policy file can hold.
func anyRule() *rapid.Generator[policy.Rule] {
	word := rapid.StringMatching(`[a-zA-Z0-9_"'\\ #=\[\]./é世-]{0,7}[a-z"]`)
	name := rapid.StringMatching(`[a-z][a-z0-9-]{0,6}[a-z0-9]`)
	return rapid.Custom(func(t *rapid.T) policy.Rule {
		r := policy.Rule{
			Effect: rapid.SampledFrom([]policy.Effect{policy.Allow, policy.Ask, policy.Deny}).Draw(t, "effect"),
			Kind: rapid.SampledFrom([]string{
				approval.KindShell, approval.KindFile, approval.KindNetwork, approval.KindProcess, approval.KindTool,
			}).Draw(t, "kind"),
		}
		either := rapid.Bool().Draw(t, "either form")
		switch r.Kind {
		case approval.KindShell:
			if either {
				r.HasArgv = true
				if rapid.Bool().Draw(t, "words") {
					r.Argv = append([]string{name.Draw(t, "program")}, rapid.SliceOf(word).Draw(t, "words")...)
				}
			} else {
				r.Class, r.Programs = "read-only", rapid.SliceOfN(word, 1, 3).Draw(t, "programs")
			}
		case approval.KindFile:
			r.Access = rapid.SampledFrom([]approval.Access{approval.Read, approval.Write}).Draw(t, "access")
			if r.Outside = either; !either {
				prefix := rapid.SampledFrom([]string{"", "/", "~/", "**/"}).Draw(t, "prefix")
				r.Glob = prefix + rapid.StringMatching(`[*?é"' ]?[a-z ]{0,2}[a-z](/[a-z*]){0,2}(/\*\*)?`).Draw(t, "glob")
			}
		case approval.KindNetwork:
			if either {
				r.Host = rapid.SampledFrom([]string{"", "*."}).Draw(t, "below") + name.Draw(t, "label") + ".example"
				r.Port = rapid.IntRange(0, 65535).Draw(t, "port")
			} else {
				r.Class = rapid.SampledFrom([]string{"metadata", "loopback", "private"}).Draw(t, "class")
			}
		case approval.KindProcess:
			r.Action = rapid.SampledFrom([]string{"signal", "attach", "spawn"}).Draw(t, "action")
			if either {
				r.Target = word.Draw(t, "target")
			}
		case approval.KindTool:
			r.Server, r.Tool = word.Draw(t, "server"), word.Draw(t, "tool")
		}
		if rapid.Bool().Draw(t, "with a reason") {
			r.Reason = word.Draw(t, "reason")
		}
		return r
	})
}
