package rpc

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/approvald/approvald/wire"
)

// Reviewers hear what became of a reload, and whoever comes later that the files
// are not good for as long as they are not (policy.md "Files").
func TestReviewersAreToldOfThePolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		reviewer, both, agent := h.as(wire.RoleReviewer), h.as(wire.RoleBoth), h.as(wire.RoleAgent)
		deaf := h.connect("reviewer", wire.RoleReviewer)
		deaf.greet(`{"optOutNotificationMethods":["policy/changed"]}`)
		greeting := h.connect("reviewer", wire.RoleReviewer) // before its handshake
		h.settle()

		h.PolicyChanged(errors.New("/etc/approvald/policy.toml:3: there is no key paths"))
		late := h.as(wire.RoleReviewer)
		lateAgent := h.as(wire.RoleAgent)
		h.settle()
		const why = `{"status":"failed","error":"/etc/approvald/policy.toml:3: there is no key paths"}`
		for name, c := range map[string]*client{"a reviewer": reviewer, "one of role both": both, "one who came later": late} {
			if n := c.heard(wire.MethodPolicyChanged, why, `"emittedAtMs":`); n != 1 {
				t.Errorf("%s heard of it %d times", name, n)
			}
		}
		for name, c := range map[string]*client{"an agent": agent, "an agent who came later": lateAgent, "one who opted out": deaf, "one who said nothing yet": greeting} {
			if n := c.heard(wire.MethodPolicyChanged); n != 0 {
				t.Errorf("%s heard of it", name)
			}
		}

		h.PolicyChanged(nil)
		latest := h.as(wire.RoleReviewer)
		h.settle()
		if n := reviewer.heard(wire.MethodPolicyChanged, `{"status":"loaded"}`); n != 1 {
			t.Errorf("that the files are good again was heard %d times", n)
		}
		if n := latest.heard(wire.MethodPolicyChanged); n != 0 {
			t.Error("one who came when they were good was told of them")
		}
	})
}

func TestAnErrorOfThePolicyIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		c := h.as(wire.RoleReviewer)
		h.settle()
		h.PolicyChanged(errors.New(strings.Repeat("é", 1<<20)))
		h.settle()
		if n := len(c.event(wire.MethodPolicyChanged).raw); n > 5<<10 {
			t.Errorf("it has %d bytes", n)
		}
	})
}
