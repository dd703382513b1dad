package policy_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
)

func TestTheRuleThatMayBeWritten(t *testing.T) {
	shell := argv(allow, "make all")
	exact := glob(allow, write, "/srv/app/a")
	strange := glob(allow, write, `/srv/app/\*\[x\]`)
	out := glob(allow, read, "/data/a")
	network := host(allow, "example.org", 8443)
	mail := tool(allow, "mail", "send")
	for _, c := range []struct {
		name   string
		rules  []policy.Rule
		action approval.Action
		want   *policy.Rule
	}{
		{"a suggested prefix", nil, command(run("make all", suggests("make all"))), &shell},
		{"of the first open stage", rules(argv(allow, "ls")), command(run("ls", suggests("ls")), run("make all -j", suggests("make all"))), &shell},
		{"beside others that will be asked", nil, command(run("make all", suggests("make all")), run("!x $y")), &shell},
		{"not of a later stage", nil, command(run("!x"), run("make all", suggests("make all"))), nil},
		{"no suggestion", nil, command(run("make all")), nil},
		{"an opaque stage", nil, command(run("!make all", suggests("make all"))), nil},
		{"behind a cd", nil, command(run("make all", suggests("make all"), elsewhere)), nil},
		{"a program that is not trusted", nil, command(run("make all", suggests("make all"), untrusted)), nil},
		{"asked by a rule", rules(argv(ask, "make")), command(run("make all", suggests("make all"))), nil},
		{"near a rule", rules(argv(deny, "make all -j")), command(run("make all -k", suggests("make all"))), nil},
		{"a file remains", nil, command(run("make all", suggests("make all"), to("/srv/app/a"))), nil},
		{"the file is allowed", rules(glob(allow, write, "a")), command(run("make all", suggests("make all"), to("/srv/app/a"))), &shell},
		{"the file is protected", nil, command(run("make all", suggests("make all"), to("/srv/app/.git/config"))), nil},
		{"the words are allowed, the file is not", rules(argv(allow, "make")), command(run("make all", suggests("make all"), to("/srv/app/a"))), nil},
		{"a prefix that does not cover", nil, command(run("make all", suggests("make clean"))), nil},
		{"a file", nil, fileAt(write, "/srv/app/a"), &exact},
		{"a file with pattern characters", nil, fileAt(write, "/srv/app/*[x]"), &strange},
		{"a file elsewhere", nil, fileAt(read, "/data/a"), &out},
		{"by the real path", nil, fileAt(read, "/data/a", written("/srv/app/link")), &out},
		{"a file that a rule asks about", rules(glob(ask, write, "a")), fileAt(write, "/srv/app/a"), nil},
		{"a protected file", nil, fileAt(write, "/srv/app/.git/config"), nil},
		{"a file with several names", nil, fileAt(write, "/srv/app/a", func(t *approval.Target) { t.Links = 2 }), nil},
		{"a name that no record can hold", nil, fileAt(write, "/srv/app/\xff"), nil},
		{"a host", nil, connect("example.org", 8443, "https"), &network},
		{"a host that a rule asks about", rules(host(ask, "*", 0)), connect("example.org", 8443, "https"), nil},
		{"a tool", nil, call("mail", "send"), &mail},
		{"a tool of no server", nil, call("", "send"), nil},
		{"a tool whose name is a pattern", nil, call("mail", "*"), nil},
		{"a process", nil, approval.Action{Subject: approval.Process{Action: "signal", Target: "1"}}, nil},
		{"an unknown kind", nil, approval.Action{Subject: stranger}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := compile(t, c.rules...)
			v := p.Evaluate(c.action, in(approval.PromptUnmatched))
			if v.Effect != ask {
				t.Fatalf("%v: %s", v.Effect, v.Explanation)
			}
			if diff := cmp.Diff(c.want, v.Menu.Persist); diff != "" {
				t.Fatalf("the rule (-want +got):\n%s", diff)
			}
			if c.want == nil {
				return
			}
			// What it is offered for, it settles.
			context := in(approval.PromptUnmatched)
			context.Rules = rules(*v.Menu.Persist)
			after := p.Evaluate(c.action, context)
			if sh, ok := c.action.Subject.(approval.Shell); ok {
				for i := range sh.Stages {
					if v.Stages[i].Open() {
						if after.Stages[i].Kind != approval.StagePolicyAllow {
							t.Errorf("the rule leaves the stage %+v", after.Stages[i])
						}
						break
					}
				}
			} else if after.Effect != allow {
				t.Errorf("the rule leaves %v: %s", after.Effect, after.Explanation)
			}
			context.Root = ""
			if v := p.Evaluate(c.action, context); v.Menu.Persist != nil {
				t.Errorf("without a workspace: %+v", v.Menu.Persist)
			}
		})
	}
}
