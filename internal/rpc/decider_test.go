package rpc

import (
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
