package policy_test

import (
	"testing"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
)

func connect(host string, port int, protocol string) approval.Action {
	return approval.Action{Subject: approval.Network{Host: host, Port: port, Protocol: protocol}}
}

func https(host string) approval.Action { return connect(host, 443, "https") }

func TestNetworkRules(t *testing.T) {
	check(t, []row{
		{"the host", rules(host(allow, "example.org", 0)), https("example.org"), allow},
		{"written otherwise", rules(host(allow, "EXAMPLE.org.", 0)), https("example.org"), allow},
		{"in letters beyond ASCII", rules(host(allow, "bücher.example", 0)), https("xn--bcher-kva.example"), allow},
		{"not a longer host", rules(host(allow, "docs.example.org", 0)), https("docs.example.org.attacker.test"), ask},
		{"not a sub-name", rules(host(allow, "example.org", 0)), https("a.example.org"), ask},
		{"a sub-name", rules(host(allow, "*.example.org", 0)), https("a.b.example.org"), allow},
		{"only sub-names", rules(host(allow, "*.example.org", 0)), https("example.org"), ask},
		{"not letters before it", rules(host(allow, "*.mirror.example.org", 0)), https("notmirror.example.org"), ask},
		{"any host", rules(host(allow, "*", 0)), https("example.org"), allow},
		{"any address", rules(host(allow, "*", 0)), https("2001:db8::1"), allow},
		{"an address written otherwise", rules(host(deny, "0x7f.1", 0)), https("127.0.0.1"), deny},
		{"the default port of https", rules(host(allow, "example.org", 0)), connect("example.org", 8443, "https"), ask},
		{"the default port of http", rules(host(allow, "example.org", 0)), connect("example.org", 80, "http"), allow},
		{"the port of another scheme", rules(host(allow, "example.org", 0)), connect("example.org", 443, "http"), ask},
		{"a scheme without a default", rules(host(allow, "example.org", 0)), connect("example.org", 443, "tcp"), ask},
		{"a port", rules(host(allow, "example.org", 9999)), connect("example.org", 9999, "tcp"), allow},
		{"another port", rules(host(allow, "127.0.0.1", 8000)), connect("127.0.0.1", 5432, "http"), ask},
		{"deny means every port", rules(host(allow, "*", 9999), host(deny, "example.org", 0)), connect("example.org", 9999, "tcp"), deny},
		{"deny of one port", rules(host(allow, "*", 0), host(deny, "example.org", 80)), https("example.org"), allow},
		{"ask before allow", rules(host(allow, "example.org", 0), host(ask, "*.org", 0)), https("example.org"), ask},
		{"a host that is none", rules(host(allow, "*", 0)), https("exa mple.org"), ask},
	})
}

func TestClassesOfDestinations(t *testing.T) {
	hosts := map[string][]string{
		"metadata": {"169.254.169.254", "100.100.100.200", "fd00:ec2::254", "metadata.google.internal", "metadata", "::ffff:169.254.169.254"},
		"loopback": {"127.0.0.1", "127.8.9.1", "0.0.0.0", "::", "::1", "localhost", "a.localhost", "64:ff9b::7f00:1", "2002:7f00:1::"},
		"private":  {"10.1.2.3", "172.31.0.1", "192.168.1.1", "fd12::1", "fe80::1", "printer.local", "db.internal", "169.254.7.7", "100.64.0.1"},
		"":         {"example.org", "8.8.8.8", "2001:4860::1", "mylocalhost", "172.32.0.1", "localhost.example.org"},
	}
	for of, list := range hosts {
		for _, h := range list {
			for _, name := range []string{"metadata", "loopback", "private"} {
				want := allow
				if name == of {
					want = deny
				}
				check(t, []row{{h + " and deny " + name, rules(host(allow, "*", 443), class(deny, name)), https(h), want}})
				want = ask
				if name == of {
					want = allow
				}
				check(t, []row{{h + " and allow " + name, rules(class(allow, name)), https(h), want}})
			}
		}
	}
}

func TestAHostThatCannotBeComparedIsAskedAboutWhereItMayBeDenied(t *testing.T) {
	if v := compile(t, class(deny, "loopback")).Evaluate(https("127.0.0.1\x01"), in(approval.AllowAll)); v.Effect != ask {
		t.Errorf("%v", v.Effect)
	}
}

func TestProcessRules(t *testing.T) {
	rule := func(e policy.Effect, action, target string) policy.Rule {
		return policy.Rule{Effect: e, Kind: approval.KindProcess, Action: action, Target: target}
	}
	kill := approval.Action{Subject: approval.Process{Action: "signal", Target: "SIGTERM", PID: 7}}
	check(t, []row{
		{"action and target", rules(rule(allow, "signal", "SIGTERM")), kill, allow},
		{"any target", rules(rule(allow, "signal", "")), kill, allow},
		{"another target", rules(rule(allow, "signal", "SIGKILL")), kill, ask},
		{"another action", rules(rule(allow, "attach", "SIGTERM")), kill, ask},
		{"deny wins", rules(rule(allow, "signal", "SIGTERM"), rule(deny, "signal", "")), kill, deny},
	})
}

func call(server, name string) approval.Action {
	return approval.Action{Subject: approval.Tool{ServerName: server, ToolName: name}}
}

func TestToolRules(t *testing.T) {
	check(t, []row{
		{"both", rules(tool(allow, "mail", "send")), call("mail", "send"), allow},
		{"another tool", rules(tool(allow, "mail", "send")), call("mail", "read"), ask},
		{"another server", rules(tool(allow, "mail", "send")), call("post", "send"), ask},
		{"every tool", rules(tool(allow, "foo.bar", "*")), call("foo.bar", "delete"), allow},
		{"no likeness of names", rules(tool(allow, "foo.bar", "*")), call("foo_bar", "delete"), ask},
		{"no joined text", rules(tool(allow, "evil", "foo__real_tool")), call("evil__foo", "real_tool"), ask},
		{"every server", rules(tool(deny, "*", "delete")), call("any", "delete"), deny},
		{"everything", rules(tool(ask, "*", "*"), tool(allow, "mail", "send")), call("mail", "send"), ask},
	})
}

func TestToolModes(t *testing.T) {
	mode := func(m policy.ToolMode, server, name string) policy.ToolRule {
		return policy.ToolRule{Server: server, Tool: name, Mode: m, Ref: policy.Ref{Layer: "user", Index: 1, Tool: true}}
	}
	session := policy.Menu{Session: true, OnlySession: true}
	for _, c := range []struct {
		name   string
		tools  []policy.ToolRule
		rules  []policy.Rule
		mode   approval.Mode
		grant  bool
		want   policy.Effect
		source string
		menu   policy.Menu
	}{
		{"preApproved", []policy.ToolRule{mode(policy.PreApproved, "s", "t")}, nil, approval.PromptUnmatched, false, allow, "toolMode", policy.Menu{}},
		{"preApproved, denied mode", []policy.ToolRule{mode(policy.PreApproved, "s", "*")}, nil, approval.DenyUnmatched, false, allow, "toolMode", policy.Menu{}},
		{"preApproved, deny rule", []policy.ToolRule{mode(policy.PreApproved, "s", "t")}, rules(tool(deny, "s", "*")), approval.AllowAll, false, deny, "rule", policy.Menu{}},
		{"always", []policy.ToolRule{mode(policy.Always, "s", "t")}, nil, approval.PromptUnmatched, false, ask, "toolMode", policy.Menu{}},
		{"always, granted", []policy.ToolRule{mode(policy.Always, "s", "t")}, nil, approval.PromptUnmatched, true, ask, "toolMode", policy.Menu{}},
		{"always, allow rule", []policy.ToolRule{mode(policy.Always, "s", "t")}, rules(tool(allow, "s", "t")), approval.PromptUnmatched, false, ask, "toolMode", policy.Menu{}},
		{"always, allowAll", []policy.ToolRule{mode(policy.Always, "s", "t")}, nil, approval.AllowAll, false, allow, "mode", policy.Menu{}},
		{"always beats preApproved", []policy.ToolRule{mode(policy.PreApproved, "s", "t"), mode(policy.Always, "s", "*")}, nil, approval.PromptUnmatched, false, ask, "toolMode", policy.Menu{}},
		{"oncePerSession", []policy.ToolRule{mode(policy.OncePerSession, "s", "t")}, nil, approval.PromptUnmatched, false, ask, "toolMode", session},
		{"oncePerSession, allowAll", []policy.ToolRule{mode(policy.OncePerSession, "s", "t")}, nil, approval.AllowAll, false, ask, "toolMode", session},
		{"oncePerSession, denyUnmatched", []policy.ToolRule{mode(policy.OncePerSession, "s", "t")}, nil, approval.DenyUnmatched, false, deny, "mode", policy.Menu{}},
		{"oncePerSession, granted", []policy.ToolRule{mode(policy.OncePerSession, "s", "t")}, nil, approval.DenyUnmatched, true, allow, "sessionGrant", policy.Menu{}},
		{"oncePerSession, allow rule", []policy.ToolRule{mode(policy.OncePerSession, "s", "*")}, rules(tool(allow, "s", "t")), approval.AllowAll, false, ask, "toolMode", session},
		{"oncePerSession, deny rule", []policy.ToolRule{mode(policy.OncePerSession, "s", "*")}, rules(tool(deny, "s", "t")), approval.AllowAll, true, deny, "rule", policy.Menu{}},
		{"oncePerSession, ask rule", []policy.ToolRule{mode(policy.OncePerSession, "s", "*")}, rules(tool(ask, "s", "t")), approval.AllowAll, true, ask, "toolMode", policy.Menu{}},
		{"not configured", []policy.ToolRule{mode(policy.Always, "s", "u")}, nil, approval.AllowAll, false, allow, "mode", policy.Menu{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := layer(c.rules...)
			l.Tools = c.tools
			context := policy.Context{Under: under(c.mode)}
			if c.grant {
				context.Granted = everything
			}
			v := compileSetup(t, policy.Setup{Layers: []policy.Layer{l}}).Evaluate(call("s", "t"), context)
			if v.Effect != c.want || v.Source != c.source || v.Menu != c.menu {
				t.Errorf("%v by %s, menu %+v: %s", v.Effect, v.Source, v.Menu, v.Explanation)
			}
		})
	}
}

func TestWhatInspectionRefusesIsAHardDenial(t *testing.T) {
	for name, a := range map[string]approval.Action{
		"network": https("example.org"), "file": fileAt(read, "/srv/app/a"), "shell": command(run("ls"), run("true", is(approval.StageKnownSafe))),
		"tool": call("s", "t"), "unknown": {Subject: stranger},
	} {
		t.Run(name, func(t *testing.T) {
			a.Found.Refused = "it can be read in two ways"
			c := in(approval.AllowAll)
			c.Granted = everything
			v := compile(t, argv(allow, ""), host(allow, "*", 0)).Evaluate(a, c)
			if v.Effect != deny || v.Resolution != approval.ByBuiltinDeny {
				t.Errorf("%v by %+v: %s", v.Effect, v.Resolution, v.Explanation)
			}
		})
	}
}
