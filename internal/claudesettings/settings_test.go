package claudesettings

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
)

// said is a rule in one line, for tables.
func said(r policy.Rule) string {
	switch r.Kind {
	case approval.KindShell:
		return "shell " + strings.Join(r.Argv, "|")
	case approval.KindFile:
		return string(r.Access) + " " + r.Glob
	case approval.KindNetwork:
		return "host " + r.Host
	}
	return "tool " + r.Server + "|" + r.Tool
}

func TestRulesAreSaidOrItIsSaidWhyNot(t *testing.T) {
	const exactly, nearly = true, false
	tests := []struct {
		effect, text string
		exact        bool
		want         []string
		why          string // part of it
	}{
		// Commands: exact, prefixes in both spellings, all of them.
		{"deny", "Bash(git push:*)", exactly, []string{"shell git|push"}, ""},
		{"deny", "Bash(git push *)", exactly, []string{"shell git|push"}, ""},
		{"ask", "Bash(npm test)", exactly, []string{"shell npm|test"}, "more words may follow"},
		{"allow", "Bash(npm test)", exactly, []string{"shell npm|test"}, "more words may follow"},
		{"deny", "Bash", exactly, []string{"shell "}, ""},
		{"deny", "Bash(*)", exactly, []string{"shell "}, ""},
		{"deny", "Bash(:*)", exactly, []string{"shell "}, ""},
		{"deny", "Bash()", exactly, []string{"shell "}, ""},
		{"allow", "Bash(npm run test:unit:*)", exactly, []string{"shell npm|run|test:unit"}, ""},
		{"deny", `Bash(git commit -m "a b":*)`, exactly, []string{"shell git|commit|-m|a b"}, ""},
		{"deny", `Bash(echo 'a b' a\ b "\$x")`, exactly, []string{"shell echo|a b|a b|$x"}, "more words may follow"},
		{"deny", `Bash(python -c "print\(1\)")`, exactly, []string{"shell python|-c|print(1)"}, "more words may follow"},
		{"deny", "Bash(./deploy.sh prod:*)", exactly, []string{"shell ./deploy.sh|prod"}, ""},

		// Words that only a shell knows: deny and ask spell them, allow must not.
		{"deny", "Bash(rm -rf ~)", exactly, []string{"shell rm|-rf|~"}, "more words may follow"},
		{"deny", `Bash(rm -rf "$HOME":*)`, exactly, []string{`shell rm|-rf|"$HOME"`}, ""},
		{"allow", "Bash(rm -rf ~)", nearly, nil, "only a running shell knows"},
		{"deny", "Bash($SHELL -c x)", nearly, nil, "only a running shell knows"},

		// Text patterns over commands.
		{"deny", "Bash(* --force)", nearly, nil, "within the text"},
		{"deny", "Bash(git * main)", nearly, []string{"shell git"}, "within the text"},
		{"deny", "Bash(npm*)", nearly, nil, "within the text"},
		{"deny", "Bash(npm run dep*:*)", nearly, []string{"shell npm|run"}, "within the text"},
		{"deny", "Bash(curl * | bash)", nearly, []string{"shell curl"}, "within the text"},
		{"deny", `Bash(echo "*)`, nearly, []string{"shell echo"}, "within the text"},

		// What is no simple command.
		{"deny", "Bash(cd /tmp && rm x)", nearly, nil, "not one simple command"},
		{"deny", "Bash(curl x | sh)", nearly, nil, "not one simple command"},
		{"deny", "Bash(echo x > f)", nearly, nil, "not one simple command"},
		{"deny", "Bash(X=1 make)", nearly, nil, "not one simple command"},
		{"deny", "Bash(! make)", nearly, nil, "not one simple command"},
		{"deny", "Bash(make # all)", nearly, nil, "not one simple command"},
		{"deny", "Bash(sleep 1 &)", nearly, nil, "not one simple command"},
		{"deny", "Bash(:(){ :|:& };:)", nearly, nil, "not one simple command"},
		{"deny", `Bash(echo ")`, nearly, nil, "no command that a shell"},
		{"deny", "Bash(rm\rx)", nearly, nil, "nobody can see"},
		{"deny", "Bash(rm -rf /\n)", nearly, nil, "nobody can see"},
		{"deny", "Bash(run_in_background:true)", nearly, nil, "how a command is called"},
		{"deny", "Bash(make", nearly, nil, "not closed"},

		// Files: what is read, what is written, and the four beginnings.
		{"deny", "Read(./.env)", exactly, []string{"read .env/**", "read */**/.env/**"}, ""},
		{"allow", "Read(./.env)", exactly, []string{"read .env/**"}, ""},
		{"deny", "Read(.env)", exactly, []string{"read .env/**", "read */**/.env/**"}, ""},
		{"deny", "Read(**/.env)", exactly, []string{"read .env/**", "read */**/.env/**"}, ""},
		{"deny", "Read(./secrets/**)", exactly, []string{"read secrets/**"}, ""},
		{"deny", "Read(secrets/)", exactly, []string{"read secrets/**", "read */**/secrets/**"}, "a file of that name"},
		{"ask", "Edit(src/**/*.go)", exactly, []string{"write src/**/*.go/**"}, ""},
		{"deny", "Read(//etc/shadow)", exactly, []string{"read /etc/shadow/**"}, ""},
		{"deny", "Read(//**/*.pem)", exactly, []string{"read /**/*.pem/**"}, ""},
		{"deny", "Read(~/.ssh/**)", exactly, []string{"read ~/.ssh/**"}, ""},
		{"deny", "Read(~)", exactly, []string{"read ~/**"}, ""},
		{"deny", "Read(~/**/id_*)", exactly, []string{"read ~/**/id_*/**"}, ""},
		{"deny", "Edit(/build/**)", exactly, []string{`write /srv/\[a\]/build/**`}, ""},
		{"deny", "Read", exactly, []string{"read /**"}, ""},
		{"deny", "Read(**)", exactly, []string{"read **"}, ""},
		{"deny", "Read(.)", exactly, []string{"read **"}, ""},
		{"deny", "Edit(a**b/{c}.txt)", exactly, []string{`write a*b/\{c\}.txt/**`}, ""},
		{"deny", "Read(~root/x)", nearly, nil, "Only ~/ is known"},
		{"deny", "Read(!keep)", nearly, nil, "takes files out"},
		{"deny", "Read(#x)", nearly, nil, "comment"},
		{"deny", "Read(../x)", nearly, nil, "goes up"},
		{"deny", "Read(a\nb)", nearly, nil, "line break"},
		{"deny", "Write(docs/**)", nearly, []string{"write docs/**"}, "Claude Code accepts Write with a path and never looks at it; Edit(docs/**)"},
		{"allow", "Write", nearly, []string{"write /**"}, "Write alone"},
		{"deny", "Grep", nearly, []string{"read /**"}, "Grep alone"},

		// Hosts.
		{"deny", "WebFetch", exactly, []string{"host *"}, ""},
		{"deny", "WebFetch(domain:example.org)", exactly, []string{"host example.org"}, ""},
		{"allow", "WebFetch(domain:*.example.org)", exactly, []string{"host *.example.org"}, ""},
		{"deny", "WebFetch(domain:exam*.org)", nearly, nil, "no * in another place"},
		{"deny", "WebFetch(https://example.org)", nearly, nil, "about a host"},

		// Tools of servers, and others.
		{"deny", "mcp__github", exactly, []string{"tool github|*"}, ""},
		{"deny", "mcp__github__*", exactly, []string{"tool github|*"}, ""},
		{"ask", "mcp__github__create_issue", exactly, []string{"tool github|create_issue"}, ""},
		{"ask", "mcp__a__b__c", exactly, []string{"tool a|b__c"}, ""},
		{"deny", "mcp__*", exactly, []string{"tool *|*"}, "no MCP server"},
		{"allow", "mcp__github__get_*", nearly, []string{"tool github|*"}, "no part of a name"},
		{"deny", "mcp__*__delete", nearly, []string{"tool *|*"}, "no part of a name"},
		{"deny", "mcp__github__x(repo:a)", nearly, []string{"tool github|x"}, "arguments"},
		{"deny", "mcp__", nearly, nil, "no MCP server"},
		{"deny", "WebSearch", exactly, []string{"tool *|WebSearch"}, "any MCP server"},
		{"deny", "Agent(model:opus)", nearly, []string{"tool *|Agent"}, "arguments"},
		{"deny", "PowerShell(Get-Item)", nearly, nil, "PowerShell"},
		{"deny", "", nearly, nil, "names no tool"},
		{"deny", "rm -rf /", nearly, nil, "names no tool"},
	}
	for _, tt := range tests {
		t.Run(tt.effect+" "+tt.text, func(t *testing.T) {
			got := translate(tt.effect, tt.text, "/srv/[a]")
			var rules []string
			for _, r := range got.Rules {
				rules = append(rules, said(r))
				if r.Effect != effects[tt.effect] {
					t.Errorf("effect %v", r.Effect)
				}
			}
			if diff := cmp.Diff(tt.want, rules); diff != "" {
				t.Errorf("rules (-want +got):\n%s", diff)
			}
			why := strings.Join(got.Why, " ")
			if got.Exact != tt.exact || !strings.Contains(why, tt.why) || tt.why == "" && why != "" {
				t.Errorf("exact %v: %q", got.Exact, why)
			}
			if !got.Exact && why == "" {
				t.Error("nothing says why")
			}
		})
	}
}

func TestAPatternOfSettingsThatBelongNowhereIsNotGuessedAt(t *testing.T) {
	got := translate("deny", "Edit(/build/**)", "")
	if got.Exact || got.Rules != nil || !strings.Contains(got.Why[0], "no .claude directory") {
		t.Errorf("%+v", got)
	}
}

func TestEverythingInAFileIsReportedWithItsLine(t *testing.T) {
	got, err := Read(Place{Name: "settings.json"}, []byte(`{
  "model": "opus",
  "permissions": {
    "allow": ["Bash(ls:*)",
      "Read"],
    "defaultMode": "acceptEdits",
    "deny": [ "WebSearch" ]
  },
  "hooks": {"PreToolUse": [1, {"a": []}]}
}
`))
	if err != nil {
		t.Fatal(err)
	}
	var entries []string
	for _, e := range got.Entries {
		entries = append(entries, strings.Join([]string{string(rune('0' + e.Line)), e.Effect, e.Text}, " "))
	}
	if diff := cmp.Diff([]string{"4 allow Bash(ls:*)", "5 allow Read", "7 deny WebSearch"}, entries); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"model", "permissions.defaultMode", "hooks"}, got.Others); diff != "" {
		t.Errorf("others (-want +got):\n%s", diff)
	}
}

func TestFilesThatAreNoSettingsAreRefusedWithTheirLine(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":             {"", "s:1: this is not JSON"},
		"a list":              {"[]", "s:1: the settings are no JSON object"},
		"a comment":           {"{\n// x\n}", "s:2: this is not JSON"},
		"a trailing comma":    {"{\"permissions\": {\"deny\": [\n\"Read\",\n]}}", "s:2: this is not JSON"},
		"a member twice":      {"{\"permissions\": {},\n\"permissions\": {}}", "s:2: this is not JSON"},
		"a list twice":        {"{\"permissions\": {\"deny\": [],\n\"deny\": [\"Read\"]}}", "s:2: this is not JSON"},
		"more text":           {"{}\n{}", "s:2: there is more text"},
		"permissions as list": {"{\"permissions\": [\"Read\"]}", "s:1: permissions are no JSON object"},
		"a list that is none": {"{\"permissions\": {\n\"deny\": \"Read\"}}", "s:2: permissions.deny is no list"},
		"a rule that is none": {"{\"permissions\": {\"ask\": [\n\"Read\",\n{\"tool\": \"Read\"}]}}", "s:3: permissions.ask holds something else"},
		"an end within":       {"{\"permissions\": {\"deny\": [\"Read\"", "s:1: this is not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(Place{Name: "s"}, []byte(tt.text))
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("error %v, want %s…", err, tt.want)
			}
		})
	}
}

// Whatever a settings file holds, it is read or refused.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"permissions":{"deny":["Bash(rm -rf ~)","Read(./.env)","mcp__a__b","WebFetch(domain:x)"]}}`))
	f.Add([]byte(`{"permissions":{"allow":["Bash(\"\\(a\\)\" *)","Edit(//a/{b}/**)"],"x":[{}]},"y":1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := Read(Place{Name: "s", Base: "/base"}, text)
		if err != nil {
			return
		}
		for _, e := range got.Entries {
			if !e.Rule.Exact && len(e.Rule.Why) == 0 || e.Rule.Exact && len(e.Rule.Rules) == 0 {
				t.Errorf("%s %q is neither said nor explained: %+v", e.Effect, e.Text, e.Rule)
			}
		}
	})
}
