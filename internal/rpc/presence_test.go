package rpc

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/approvald/approvald/wire"
)

const (
	refuse = `"unattended":"refuse"`
	park   = `"unattended":"park"`
)

// state is what is known of an approval: pending, or the outcome.
func (c *client) state(session, id string) string {
	c.t.Helper()
	var result wire.ApprovalReadResult
	c.must(wire.MethodApprovalRead, inSession(session, fmt.Sprintf(`"approvalId":%q`, id)), &result)
	if result.Resolution == nil {
		return "pending"
	}
	return string(result.Resolution.Outcome)
}

// Who counts as an interactive reviewer of a session (protocol §2), told by
// what becomes of an approval that must not wait without one.
func TestPresenceAtOpening(t *testing.T) {
	cases := map[string]struct {
		come func(h *host, session string)
		want string
	}{
		"nobody":                        {func(*host, string) {}, "unavailable"},
		"a reviewer of another session": {func(h *host, _ string) { c := h.as(wire.RoleReviewer); c.start() }, "unavailable"},
		"a reviewer who has not subscribed": {func(h *host, _ string) {
			h.as(wire.RoleReviewer)
		}, "unavailable"},
		"a reviewer who has subscribed": {func(h *host, session string) { h.as(wire.RoleReviewer).subscribe(session) }, "pending"},
		"a reviewer who has resumed it": {func(h *host, session string) {
			h.as(wire.RoleReviewer).must(wire.MethodSessionResume, inSession(session, fmt.Sprintf(`"commandId":%q`, command())), nil)
		}, "pending"},
		"a reviewer of all sessions":                    {func(h *host, _ string) { h.as(wire.RoleReviewer, `"allSessions":true`) }, "pending"},
		"one who may do both and has subscribed":        {func(h *host, session string) { h.as(wire.RoleBoth).subscribe(session) }, "pending"},
		"another agent that has resumed it":             {func(h *host, session string) { resume(h.as(wire.RoleAgent), session) }, "unavailable"},
		"a reviewer who said that nobody looks":         {func(h *host, session string) { h.as(wire.RoleReviewer, `"interactive":false`).subscribe(session) }, "unavailable"},
		"one of all sessions who said that nobody does": {func(h *host, _ string) { h.as(wire.RoleReviewer, `"interactive":false`, `"allSessions":true`) }, "unavailable"},
		"a reviewer in the middle of the handshake": {func(h *host, _ string) {
			c := h.connect("reviewer", wire.RoleReviewer)
			c.must(wire.MethodInitialize, `{"clientInfo":{"name":"a","version":"1"},"capabilities":{"approvald":{"allSessions":true}}}`, nil)
		}, "unavailable"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHost(t)
				agent := h.as(wire.RoleAgent)
				session := agent.start()
				c.come(h, session)
				h.settle()
				if got := agent.state(session, agent.open(session, refuse)); got != c.want {
					t.Errorf("refuse: %s, want %s", got, c.want)
				}
				if got := agent.state(session, agent.open(session, park)); got != "pending" {
					t.Errorf("park: %s", got)
				}
			})
		})
	}
}

func resume(c *client, session string) {
	c.t.Helper()
	c.must(wire.MethodSessionResume, inSession(session, fmt.Sprintf(`"commandId":%q`, command())), nil)
}

// receipt answers the request of an approval that a client was sent.
func (c *client) receipt(approval, outcome string) {
	c.t.Helper()
	f := c.event(wire.MethodApprovalRequest, approval)
	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, f.ID, outcome))
}

const (
	canShow     = `"result":{}`
	cannotShow  = `"error":{"code":-32601,"message":"no such method"}`
	unsubscribe = wire.MethodViewUnsubscribe
)

// What may not wait is settled when the last one who could decide it leaves,
// in whatever way, and not before (protocol §7 "Unattended").
func TestPresenceThatEnds(t *testing.T) {
	type room struct {
		*host
		t             *testing.T
		agent         *client
		session       string
		one, two, all *client // reviewers of the session, and one of all sessions
		first, second string  // approvals that refuse
		parked        string
	}
	by := func(name string) func(r *room) *client {
		return func(r *room) *client { return map[string]*client{"one": r.one, "two": r.two, "all": r.all}[name] }
	}
	leave := func(name string) func(*room) { return func(r *room) { by(name)(r).hangUp() } }
	stop := func(name string) func(*room) {
		return func(r *room) { by(name)(r).must(unsubscribe, inSession(r.session), nil) }
	}
	decline := func(name string) func(*room) { return func(r *room) { by(name)(r).receipt(r.first, cannotShow) } }
	show := func(name string) func(*room) { return func(r *room) { by(name)(r).receipt(r.first, canShow) } }
	come := func(r *room) { r.as(wire.RoleReviewer).subscribe(r.session) }

	cases := map[string]struct {
		reviewers     string
		steps         []func(*room)
		first, second string
	}{
		"one stays":                             {"one", nil, "pending", "pending"},
		"the only one disconnects":              {"one", []func(*room){leave("one")}, "unavailable", "unavailable"},
		"the only one unsubscribes":             {"one", []func(*room){stop("one")}, "unavailable", "unavailable"},
		"one of two disconnects":                {"one two", []func(*room){leave("one")}, "pending", "pending"},
		"one of two unsubscribes":               {"one two", []func(*room){stop("two")}, "pending", "pending"},
		"both disconnect":                       {"one two", []func(*room){leave("one"), leave("two")}, "unavailable", "unavailable"},
		"one disconnects, one unsubscribes":     {"one two", []func(*room){leave("one"), stop("two")}, "unavailable", "unavailable"},
		"the one of all sessions disconnects":   {"all", []func(*room){leave("all")}, "unavailable", "unavailable"},
		"the one of all sessions stays":         {"one all", []func(*room){leave("one")}, "pending", "pending"},
		"the one of all sessions unsubscribes":  {"all", []func(*room){stop("all")}, "pending", "pending"},
		"the only one shows it":                 {"one", []func(*room){show("one")}, "pending", "pending"},
		"the only one cannot show it":           {"one", []func(*room){decline("one")}, "unavailable", "pending"},
		"one of two cannot show it":             {"one two", []func(*room){decline("one")}, "pending", "pending"},
		"neither can show it":                   {"one two", []func(*room){decline("one"), decline("two")}, "unavailable", "pending"},
		"one cannot show it, the other leaves":  {"one two", []func(*room){decline("one"), leave("two")}, "unavailable", "pending"},
		"one cannot show it, the other stops":   {"one two", []func(*room){decline("one"), stop("two")}, "unavailable", "pending"},
		"one cannot show it and leaves":         {"one two", []func(*room){decline("one"), leave("one")}, "pending", "pending"},
		"one cannot, a third comes, two leaves": {"one two", []func(*room){decline("one"), come, leave("two")}, "pending", "pending"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &room{host: newHost(t), t: t}
				r.agent = r.as(wire.RoleAgent)
				r.session = r.agent.start()
				r.as(wire.RoleReviewer, `"interactive":false`).subscribe(r.session) // does not count
				for _, who := range []string{"one", "two"} {
					if holdsAll(c.reviewers, []string{who}) {
						reviewer := r.as(wire.RoleReviewer)
						reviewer.subscribe(r.session)
						*map[string]**client{"one": &r.one, "two": &r.two}[who] = reviewer
					}
				}
				if holdsAll(c.reviewers, []string{"all"}) {
					r.all = r.as(wire.RoleReviewer, `"allSessions":true`)
				}
				r.settle()
				r.first, r.second = r.agent.open(r.session, refuse), r.agent.open(r.session, refuse)
				r.parked = r.agent.open(r.session, park)
				r.settle()
				for _, step := range c.steps {
					step(r)
					r.settle()
				}
				for id, want := range map[string]string{r.first: c.first, r.second: c.second, r.parked: "pending"} {
					if got := r.agent.state(r.session, id); got != want {
						t.Errorf("%s is %s, want %s", id, got, want)
					}
				}
			})
		})
	}
}

// What a reviewer declined is forgotten with the approval, so that a client
// that answers every request with an error costs nothing in the long run.
func TestDeclinedApprovalsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		agent, reviewer := h.as(wire.RoleBoth), h.as(wire.RoleReviewer, `"allSessions":true`)
		session := agent.start()
		for range 20 {
			id := agent.open(session)
			reviewer.receipt(id, cannotShow)
			h.settle()
			agent.choose(session, id, wire.ChoiceAllowOnce)
		}
		h.settle()
		for c := range h.conns {
			if n := len(c.refused) + len(c.pump.asked.sent) + len(c.pump.asked.open) + len(c.pump.asked.in); n != 0 {
				t.Errorf("a connection keeps %d facts about settled approvals", n)
			}
		}
	})
}

// gone connects a client that is abandoned, with a session/start in the log's
// hands that will be carried out.
func gone(h *host, role wire.Role, members ...string) {
	h.t.Helper()
	c := h.as(role)
	h.settle()
	c.pipe.deafen()
	c.send(wire.MethodSessionList, `{}`) // the writer is at it, and will notice that nobody is there
	h.settle()
	h.log.gate.close()
	c.send(wire.MethodSessionStart, startParams(members...))
	h.log.gate.arrived()
	c.hangUp()
	h.settle()
	h.log.gate.open()
	h.settle()
}

// A session may be started for a connection that has gone meanwhile. It must
// not be left behind as the session's owner, watcher or reviewer.
func TestSessionStartedForOneWhoHasGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		id := numbered(1 << 40).String()
		gone(h, wire.RoleBoth, fmt.Sprintf(`"sessionId":%q`, id), `"cancelOnDisconnect":true`)
		if n := len(h.conns) + len(h.watchers) + len(h.owners); n != 0 {
			t.Errorf("%d entries are left of a connection that has gone", n)
		}
		agent := h.as(wire.RoleAgent)
		session := agent.start()
		if got := agent.state(session, agent.open(session, refuse)); got != "unavailable" {
			t.Errorf("an approval is %s: somebody is taken for a reviewer of another session", got)
		}
		other := h.as(wire.RoleBoth, `"interactive":false`)
		if got := other.state(id, other.open(id, refuse)); got != "unavailable" {
			t.Errorf("an approval is %s: the one who has gone is taken for its reviewer", got)
		}
	})
}

// cancelOnDisconnect cancels what a session has pending when its last owner
// goes (protocol §7); a session without it, or with another owner, keeps it.
func TestCancelOnDisconnect(t *testing.T) {
	cases := map[string]struct {
		members []string
		second  func(h *host, session string) // another connection
		want    string
	}{
		"asked for":                           {[]string{`"cancelOnDisconnect":true`}, nil, "cancelled"},
		"not asked for":                       {nil, nil, "pending"},
		"with another owner":                  {[]string{`"cancelOnDisconnect":true`}, func(h *host, session string) { resume(h.as(wire.RoleAgent), session) }, "pending"},
		"with a reviewer who has resumed it":  {[]string{`"cancelOnDisconnect":true`}, func(h *host, session string) { resume(h.as(wire.RoleReviewer), session) }, "cancelled"},
		"with a subscriber who may do both":   {[]string{`"cancelOnDisconnect":true`}, func(h *host, session string) { h.as(wire.RoleBoth).subscribe(session) }, "cancelled"},
		"with an owner who may do both":       {[]string{`"cancelOnDisconnect":true`}, func(h *host, session string) { resume(h.as(wire.RoleBoth), session) }, "pending"},
		"with an owner who has gone before":   {[]string{`"cancelOnDisconnect":true`}, func(h *host, session string) { c := h.as(wire.RoleBoth); resume(c, session); c.hangUp() }, "cancelled"},
		"explicitly not asked for":            {[]string{`"cancelOnDisconnect":false`}, nil, "pending"},
		"asked for, of an unattended session": {[]string{`"cancelOnDisconnect":true`, park}, nil, "cancelled"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHost(t)
				agent, witness := h.as(wire.RoleAgent), h.as(wire.RoleReviewer)
				session := agent.start(c.members...)
				id := agent.open(session)
				if c.second != nil {
					c.second(h, session)
					h.settle()
				}
				agent.hangUp()
				h.settle()
				if got := witness.state(session, id); got != c.want {
					t.Errorf("it is %s, want %s", got, c.want)
				}
			})
		})
	}
}

// The opening that an agent sent right before it went is carried out, and
// cancelled.
func TestCancelOnDisconnectCoversWhatWasSentBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		agent, witness := h.as(wire.RoleAgent), h.as(wire.RoleReviewer)
		session := agent.start(`"cancelOnDisconnect":true`)
		witness.subscribe(session)
		h.log.gate.close()
		for range 5 {
			agent.send(wire.MethodApprovalOpen, openParams(session))
		}
		h.log.gate.arrived()
		agent.hangUp()
		h.settle()
		h.log.gate.open()
		h.settle()
		if n := witness.heard(wire.MethodApprovalRequested); n != 5 {
			t.Errorf("%d approvals were opened", n)
		}
		if n := witness.heard(wire.MethodApprovalResolved, `"outcome":"cancelled"`, `"source":"agent"`); n != 5 {
			t.Errorf("%d approvals were cancelled", n)
		}
	})
}

// An approval that is opened while its last reviewer leaves waits for nobody.
func TestALastReviewerWhoLeavesWhileAnApprovalIsOpened(t *testing.T) {
	for name, come := range map[string]func(h *host, session string) *client{
		"of the session":  func(h *host, session string) *client { c := h.as(wire.RoleReviewer); c.subscribe(session); return c },
		"of all sessions": func(h *host, _ string) *client { return h.as(wire.RoleReviewer, `"allSessions":true`) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHost(t)
				agent := h.as(wire.RoleAgent)
				session := agent.start()
				reviewer := come(h, session)
				h.settle()
				h.log.gate.close()
				id := agent.send(wire.MethodApprovalOpen, openParams(session, refuse))
				h.log.gate.arrived() // it was decided with the reviewer there
				reviewer.hangUp()
				h.settle()
				h.log.gate.open()
				var opened wire.ApprovalOpenResult
				agent.decode(agent.answer(id), &opened)
				h.settle()
				if got := agent.state(session, opened.ApprovalID); got != "unavailable" {
					t.Errorf("it is %s", got)
				}
			})
		})
	}
}
