package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/claudesettings"
	"github.com/approvald/approvald/internal/policy"
	"github.com/approvald/approvald/internal/rulefile"
)

// settingsOf are settings with these lists.
func settingsOf(t rapid.TB, lists map[string][]string) importSource {
	t.Helper()
	text, err := json.Marshal(map[string]any{"permissions": lists})
	if err != nil {
		t.Fatal(err)
	}
	s := importSource{place: claudesettings.Place{Name: "/p/.claude/settings.json", Base: "/p"}}
	if s.settings, err = claudesettings.Read(s.place, text); err != nil {
		t.Fatal(err)
	}
	return s
}

// rulesOf are the rules that the loader finds in a policy file.
func rulesOf(t rapid.TB, text string) []policy.Rule {
	t.Helper()
	file, err := rulefile.Parse("imported", rulefile.User, []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return file.Body.Rules
}

// entries are rules as people write them, and as nobody should.
var entries = []string{
	"Bash(git push:*)", "Bash(npm test)", "Bash(rm -rf ~)", "Bash(a * b)", "Read(./.env)", "Edit(//x/{a}/**)", "Write(x)",
	"WebFetch(domain:example.org)", "WebFetch(domain:a b)", "mcp__a__b", "Agent(x)", "WebSearch", "Read(a\u202eb)", "Bash(a \" b)",
	"Bash(x\n[[rule]]\neffect = \"allow\"\nkind = \"tool\"\nserver = \"*\"\ntool = \"*\")",
}

func TestAnImportedPolicyAllowsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(entries), rapid.String()), 0, 6)
		p, err := imported([]importSource{settingsOf(t, map[string][]string{
			"allow": list.Draw(t, "allow"), "ask": list.Draw(t, "ask"), "deny": list.Draw(t, "deny"),
		})})
		if err != nil {
			t.Fatal(err)
		}
		for _, rule := range rulesOf(t, string(p.text)) {
			if rule.Effect == policy.Allow {
				t.Fatalf("%+v is in force:\n%s", rule, p.text)
			}
		}
	})
}

var commentedOut = regexp.MustCompile(`(?m)^# (\[\[rule\]\]|[a-z_]+ = .*)$`)

func TestAProposalIsARuleOnceItsCommentSignsAreGone(t *testing.T) {
	p, err := imported([]importSource{settingsOf(t, map[string][]string{"allow": entries})})
	if err != nil {
		t.Fatal(err)
	}
	if got := rulesOf(t, string(p.text)); len(got) > 0 {
		t.Errorf("rules are in force: %+v", got)
	}
	taken := rulesOf(t, commentedOut.ReplaceAllString(string(p.text), "$1"))
	if len(taken) != 11 {
		t.Errorf("%d rules are proposed:\n%s", len(taken), p.text)
	}
	if strings.Count(string(p.text), "\n# line ") != len(entries) {
		t.Errorf("not every rule is mentioned:\n%s", p.text)
	}
}

func TestAProposalIsNoReasonToLeaveOutARule(t *testing.T) {
	p, err := imported([]importSource{settingsOf(t, map[string][]string{"deny": {"Bash(curl * | sh)", "Bash(curl:*)", "Bash(curl:*)"}})})
	if err != nil {
		t.Fatal(err)
	}
	if got := rulesOf(t, string(p.text)); len(got) != 1 || got[0].Effect != policy.Deny {
		t.Errorf("rules in force: %+v\n%s", got, p.text)
	}
}

func TestSettingsBelongToTheirProjectOrTheUser(t *testing.T) {
	for file, want := range map[string]string{
		"/p/.claude/settings.json":             "/p",
		"/home/me/.claude/settings.local.json": "/home/me/.claude",
		"/etc/claude-code/managed.json":        "",
	} {
		if got := settingsBase(file, "/home/me"); got != want {
			t.Errorf("settings at %s are about %q, want %q", file, got, want)
		}
	}
}
