package policy_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
)

func TestARuleThatIsNotWellFormedIsRefused(t *testing.T) {
	with := func(r policy.Rule, change func(*policy.Rule)) policy.Rule {
		change(&r)
		return r
	}
	for _, c := range []struct {
		name, key, says string
		rule            policy.Rule
	}{
		{"no kind", "kind", "none of shell", policy.Rule{}},
		{"an effect that is none", "effect", "none of allow", policy.Rule{Effect: 7, Kind: approval.KindShell, HasArgv: true}},
		{"a member of another kind", "path_glob", "does not belong", with(argv(allow, "a"), func(r *policy.Rule) { r.Glob = "a" })},
		{"a port for a tool", "port", "does not belong", with(tool(allow, "a", "b"), func(r *policy.Rule) { r.Port = 1 })},
		{"shell without words", "", "needs argv_prefix", policy.Rule{Kind: approval.KindShell}},
		{"shell with both", "class", "both", with(argv(allow, "a"), func(r *policy.Rule) { r.Class = "read-only" })},
		{"an empty program", "argv_prefix", "names no program", policy.Rule{Kind: approval.KindShell, HasArgv: true, Argv: []string{""}}},
		{"words in one text", "argv_prefix", "each word by itself", policy.Rule{Kind: approval.KindShell, HasArgv: true, Argv: []string{"git status"}}},
		{"another class", "class", "read-only", policy.Rule{Kind: approval.KindShell, Class: "loopback", Programs: []string{"a"}}},
		{"read-only that denies", "effect", "only allow", with(readOnly("cat"), func(r *policy.Rule) { r.Effect = deny })},
		{"no programs", "programs", "needs programs", readOnly()},
		{"a path for a program", "programs", "no bare program name", readOnly("/bin/cat")},
		{"another access", "access", "neither read nor write", glob(allow, "search", "a")},
		{"no path", "path_glob", "needs path_glob", glob(allow, read, "")},
		{"a path and outside", "path_glob", "both", with(outside(deny, read), func(r *policy.Rule) { r.Glob = "a" })},
		{"an open bracket", "path_glob", "no pattern", glob(deny, read, "[a")},
		{"an open brace", "path_glob", "no pattern", glob(deny, read, "{a")},
		{"a trailing slash", "path_glob", `"secret/**"`, glob(deny, read, "secret/")},
		{"a home", "path_glob", "absolute path", glob(deny, read, "~/.ssh/**")},
		{"a dot", "path_glob", "component .", glob(deny, read, "./a")},
		{"two dots", "path_glob", "component ..", glob(deny, read, "/a/../b")},
		{"an empty component", "path_glob", "empty component", glob(deny, read, "a//b")},
		{"stars beside text", "path_glob", "stand alone", glob(deny, read, "src/**.key")},
		{"NUL", "path_glob", "NUL", glob(deny, read, "a\x00")},
		{"invalid UTF-8", "", "UTF-8", glob(allow, read, "/a\xff")},
		{"a scheme", "host", "", host(allow, "https://example.org", 0)},
		{"a port in the host", "host", "", host(allow, "example.org:443", 0)},
		{"user information", "host", "", host(allow, "a@example.org", 0)},
		{"a star within", "host", "", host(allow, "a.*.example.org", 0)},
		{"a star as part of a label", "host", "", host(allow, "*example.org", 0)},
		{"names below an address", "host", "below an address", host(allow, "*.127.0.0.1", 0)},
		{"a number that is no address", "host", "", host(allow, "1.2.3.256", 0)},
		{"a port that does not exist", "port", "65535", host(allow, "example.org", 65536)},
		{"a class that does not exist", "class", "none of metadata", class(deny, "public")},
		{"host and class", "class", "both", with(class(deny, "private"), func(r *policy.Rule) { r.Host = "*" })},
		{"neither host nor class", "host", "needs host or class", policy.Rule{Kind: approval.KindNetwork, Port: 1}},
		{"no action", "action", "needs an action", policy.Rule{Kind: approval.KindProcess, Target: "a"}},
		{"a tool without a server", "", "both server and tool", tool(allow, "", "a")},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.rule.Ref = policy.Ref{Layer: "user", File: "p.toml", Index: 2, Line: 9}
			p, err := policy.Compile(policy.Setup{Layers: []policy.Layer{{Rules: []policy.Rule{argv(allow, "ls"), c.rule}}}})
			var fault *policy.RuleError
			if p != nil || !errors.As(err, &fault) {
				t.Fatalf("policy %v, error %v", p, err)
			}
			if fault.Key != c.key || fault.Ref != c.rule.Ref || !strings.Contains(fault.Why, c.says) || !strings.HasPrefix(err.Error(), "user rule 2 (p.toml:9): ") {
				t.Errorf("%+v", fault)
			}
		})
	}
}

func TestCompileSaysEverythingThatIsWrong(t *testing.T) {
	_, err := policy.Compile(policy.Setup{
		Layers: []policy.Layer{{
			Rules:     []policy.Rule{{}, {}},
			Tools:     []policy.ToolRule{{Server: "a", Tool: "b", Mode: "never"}, {Server: "a", Mode: policy.Always}},
			Protected: []string{"a/"}, Unprotected: []string{"["},
		}},
		Stores: map[string]policy.Layer{"/a": {Rules: []policy.Rule{{}}}},
	})
	if n := strings.Count(err.Error(), "\n") + 1; n != 7 {
		t.Errorf("%d faults, want 7:\n%v", n, err)
	}
}

func TestRulesSurviveARecord(t *testing.T) {
	whole := argv(allow, "git status")
	whole.Reason, whole.Grant = "a <b> & c", approval.ID{15: 3}
	resolved := glob(deny, read, "/etc/app/**")
	resolved.Resolved = "/usr/etc/app/**"
	for _, r := range []policy.Rule{
		whole, argv(deny, ""), readOnly("cat", "ls"), glob(ask, write, "src/**"), resolved, outside(deny, write),
		host(allow, "*.example.org", 8443), class(deny, "metadata"), tool(allow, "s", "*"),
		{Effect: ask, Kind: approval.KindProcess, Action: "signal", Target: "SIGTERM"},
	} {
		t.Run(policy.Describe(r), func(t *testing.T) {
			raw, err := policy.EncodeRule(r)
			if err != nil {
				t.Fatal(err)
			}
			back, err := policy.DecodeRule(raw)
			if err != nil {
				t.Fatal(err)
			}
			if r.HasArgv && r.Argv == nil {
				r.Argv = []string{}
			}
			if diff := cmp.Diff(r, back); diff != "" {
				t.Errorf("(-before +after):\n%s\n%s", diff, raw)
			}
		})
	}
}

func TestDecodeRuleIsStrict(t *testing.T) {
	for name, raw := range map[string]string{
		"no JSON":           `{`,
		"an unknown member": `{"effect":"allow","kind":"shell","argvPrefix":["a"],"when":"x"}`,
		"a repeated member": `{"effect":"deny","effect":"allow","kind":"shell","argvPrefix":["a"]}`,
		"another case":      `{"Effect":"allow","kind":"shell","argvPrefix":["a"]}`,
		"no effect":         `{"kind":"shell","argvPrefix":["a"]}`,
		"null":              `null`,
		"a wrong type":      `{"effect":"allow","kind":"shell","argvPrefix":"a"}`,
		"an unfit rule":     `{"effect":"allow","kind":"shell"}`,
		"no words":          `{"effect":"allow","kind":"shell","argvPrefix":null}`,
	} {
		t.Run(name, func(t *testing.T) {
			if r, err := policy.DecodeRule([]byte(raw)); !errors.Is(err, policy.ErrRule) {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

func TestDescribeSaysWhatARuleCovers(t *testing.T) {
	for _, c := range []struct {
		rule policy.Rule
		want string
	}{
		{argv(allow, "git status"), "allow commands that begin with the words: git status"},
		{policy.Rule{Kind: approval.KindShell, HasArgv: true, Argv: []string{"a b", "\u202e"}}, `allow commands that begin with the words: "a b" "\u202e"`},
		{argv(allow, ""), "allow commands whose words are all known"},
		{argv(deny, ""), "deny every command"},
		{readOnly("cat", "ls"), "allow uses that only read of cat, ls"},
		{glob(allow, write, "/srv/app/a"), "allow write of exactly /srv/app/a"},
		{glob(allow, write, `/srv/app/\*`), `allow write of exactly "/srv/app/*"`},
		{glob(allow, write, "/srv/app/*"), `allow write of files that match "/srv/app/*"`},
		{glob(deny, read, "src/**"), `deny read of files that match "src/**" below the workspace`},
		{glob(deny, read, "**/.env"), `deny read of files that match "**/.env" in any place`},
		{outside(deny, write), "deny write of everything outside the workspace"},
		{host(allow, "example.org", 0), "allow connections to example.org, the default port of the scheme"},
		{host(deny, "*.example.org", 0), "deny connections to hosts below example.org, any port"},
		{host(allow, "*", 80), "allow connections to any host, port 80"},
		{class(deny, "metadata"), "deny connections to addresses of the class metadata, any port"},
		{tool(allow, "mail", "*"), "allow every tool of server mail, whatever its arguments and its definition"},
		{tool(ask, "*", "send"), "ask about tool send of every server, whatever its arguments and its definition"},
		{policy.Rule{Kind: approval.KindProcess, Action: "signal"}, "allow process action signal on any target"},
		{policy.Rule{Kind: approval.KindProcess, Action: "signal", Target: "a b"}, `allow process action signal on "a b"`},
		{policy.Rule{Effect: 9, Kind: "x"}, `effect 9 nothing: the kind "x" is not known`},
	} {
		if got := policy.Describe(c.rule); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
