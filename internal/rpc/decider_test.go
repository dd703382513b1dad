package rpc

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/approvald/approvald/wire"
)

const wantsDecidedBy = `"requestedCapabilities":["future","decidedBy"]`

// Whatever an agent asks for, it learns that a person decided and not with what.
func TestAgentsAreNotToldWhoDecided(t *testing.T) {
	for _, role := range everyRole {
		for _, asks := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				h := newHost(t)
				c := h.connect("stdio", wire.RoleBoth)
				capabilities := `"approvald":{"role":"` + string(role) + `"}`
				if asks {
					capabilities += `,` + wantsDecidedBy
				}
				var hello wire.InitializeResult
				c.decode(c.call(wire.MethodInitialize, `{"clientInfo":{"name":"a","version":"1"},"capabilities":{`+capabilities+`}}`), &hello)
				may := asks && role != wire.RoleAgent
				if got := slices.Contains(hello.GrantedCapabilities, wire.CapabilityDecidedBy); got != may {
					t.Errorf("%s, who asks: %v, is granted it: %v", role, asks, got)
				}
			})
		}
	}
}

// Two connections, of which one is told who decided, are told the same otherwise: live,
// from the log, and in pages.
func TestWhoDecidedIsAllThatIsAdded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		named, plain := h.connect("stdio", wire.RoleBoth), h.as(wire.RoleReviewer)
		named.greet(`{` + wantsDecidedBy + `}`)
		session := named.start()
		plain.subscribe(session)
		named.choose(session, named.open(session), wire.ChoiceAllowOnce)
		late := h.connect("stdio", wire.RoleBoth)
		late.greet(`{` + wantsDecidedBy + `}`)
		late.subscribe(session, `"after":"v:`+session+`:4"`)
		const by = `,"decidedBy":{"clientName":"tester","role":"both","transport":"stdio"}`
		want := plain.event(wire.MethodApprovalResolved).raw
		for name, c := range map[string]*client{"live": named, "from the log": late} {
			if got := c.event(wire.MethodApprovalResolved).raw; strings.Replace(got, by, "", 1) != want || got == want {
				t.Errorf("%s one is told\n%s\nthe other\n%s", name, got, want)
			}
		}
		page := inSession(session, `"limit":10`)
		with, without := string(named.call(wire.MethodViewPage, page).Result), string(plain.call(wire.MethodViewPage, page).Result)
		if strings.Replace(with, by, "", 1) != without || with == without {
			t.Errorf("one reads\n%s\nthe other\n%s", with, without)
		}
	})
}

// An agent that asks for it, on a connection that could be more, is told no word of who
// decided: live, from the log, in pages, when it reads and when it resumes, of its own
// session and of those below.
func TestNoFrameTellsAnAgentWhoDecided(t *testing.T) {
	for name, connect := range map[string]func(*host) *client{
		"by its role": func(h *host) *client {
			c := h.connect("stdio", wire.RoleBoth)
			c.greet(`{"approvald":{"role":"agent"},` + wantsDecidedBy + `}`)
			return c
		},
		"by its transport": func(h *host) *client {
			c := h.connect("agent", wire.RoleAgent)
			c.greet(`{` + wantsDecidedBy + `}`)
			return c
		},
		"narrowed": func(h *host) *client {
			c := h.connect("stdio", wire.RoleBoth)
			c.must(wire.MethodConnectionNarrow, `{"role":"agent"}`, nil)
			c.greet(`{` + wantsDecidedBy + `}`)
			return c
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHost(t)
				agent, person := connect(h), h.connect("stdio", wire.RoleBoth)
				person.greet(`{` + wantsDecidedBy + `}`)
				var root, child wire.SessionStartResult
				agent.must(wire.MethodSessionStart, startParams(), &root)
				agent.must(wire.MethodSessionStart, startParams(fmt.Sprintf(`"parentSessionId":%q`, root.Session.SessionID)), &child)
				for _, started := range []wire.SessionStartResult{root, child} {
					session := started.Session.SessionID
					id := agent.open(session)
					prompt := agent.ask(session)
					person.subscribe(session)
					person.choose(session, id, wire.ChoiceAllowOnce)
					person.must(wire.MethodUserInputAnswer, toPrompt(session, prompt, answersA), nil)
					h.settle()
					if person.heard(wire.MethodApprovalResolved, `"decidedBy":`) == 0 {
						t.Error("the person is not told either")
					}
					late := connect(h)
					late.must(wire.MethodSessionResume, inSession(session, fmt.Sprintf(`"commandId":%q`, command())), nil)
					late.subscribe(session, fmt.Sprintf(`"after":%q`, started.ViewCursor))
					for _, c := range []*client{agent, late} {
						for method, params := range map[string]string{
							wire.MethodViewPage:     inSession(session, `"limit":100`),
							wire.MethodApprovalRead: inSession(session, fmt.Sprintf(`"approvalId":%q`, id)),
						} {
							if got := c.call(method, params).raw; strings.Contains(got, `"decidedBy":`) {
								t.Errorf("%s tells it: %s", method, got)
							}
						}
					}
					h.settle()
					if late.heard(wire.MethodApprovalResolved) == 0 {
						t.Error("nothing comes from the log")
					}
					for _, f := range append(agent.all(), late.all()...) {
						if strings.Contains(f.raw, `"decidedBy":`) || strings.Contains(f.raw, `"clientName"`) {
							t.Errorf("it is told %s", f.raw)
						}
					}
				}
			})
		})
	}
}
