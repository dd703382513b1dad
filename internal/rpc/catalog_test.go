package rpc

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// catalog opens a catalog of one tool, search of the server find, and gives its
// id.
func (c *client) catalog(session, digest string) string {
	c.t.Helper()
	var result wire.CatalogOpenResult
	c.must(wire.MethodCatalogOpen, listing(session, `"serverName":"find"`, digest), &result)
	return result.CatalogID
}

// listing are the params of a list of that tool; which says whose it is.
func listing(session, which, digest string) string {
	return inSession(session, fmt.Sprintf(`"commandId":%q,"tools":[{"name":"search","digest":%q}]`, command(), digest), which)
}

// searching are the params of opening that tool under a catalog.
func searching(session, catalog string, members ...string) string {
	return opening(session, `{"kind":"tool","serverName":"find","toolName":"search"}`,
		append([]string{fmt.Sprintf(`"catalogId":%q`, catalog)}, members...)...)
}

// search opens that tool under a catalog and gives the approval's id.
func (c *client) search(session, catalog string, members ...string) string {
	c.t.Helper()
	var opened wire.ApprovalOpenResult
	c.must(wire.MethodApprovalOpen, searching(session, catalog, members...), &opened)
	return opened.ApprovalID
}

// An agent has the catalogs of the sessions that it owns, and learns of no other.
func TestCatalogsAreOfWhoOwnsTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		one, other, reviewer := h.as(wire.RoleAgent), h.as(wire.RoleAgent), h.as(wire.RoleReviewer)
		session, others := one.start(), other.start()
		catalog := one.catalog(session, "sha256:01")
		id := one.search(session, catalog)
		for method, params := range map[string]string{
			wire.MethodCatalogOpen:   listing(session, `"serverName":"find"`, "sha256:02"),
			wire.MethodCatalogUpdate: listing(session, fmt.Sprintf(`"catalogId":%q`, catalog), "sha256:02"),
			wire.MethodCatalogClose:  inSession(session, fmt.Sprintf(`"commandId":%q,"catalogId":%q`, command(), catalog)),
			wire.MethodTurnComplete:  inSession(session, fmt.Sprintf(`"commandId":%q,"turnId":%q,"terminal":"completed"`, command(), id)),
		} {
			if e := other.refused(method, params); e.Code != wire.CodeSessionNotFound {
				t.Errorf("%s in another's session: %+v", method, e)
			}
			elsewhere := strings.Replace(params, session, others, 1)
			if e := reviewer.refused(method, elsewhere); e.Code != wire.CodeRoleForbidden {
				t.Errorf("%s by a reviewer: %+v", method, e)
			}
		}
		if e := other.refused(wire.MethodApprovalOpen, searching(others, catalog)); e.Code != wire.CodeNotFound {
			t.Errorf("under another's catalog: %+v", e)
		}
		if got := one.state(session, id); got != "pending" {
			t.Errorf("it is %s", got)
		}
	})
}

// What a change cancels is heard, by the agent that waits and by reviewers, and
// the list of grants says what has ended.
func TestAChangedToolIsHeardOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		agent, reviewer := h.as(wire.RoleAgent), h.as(wire.RoleReviewer, `"allSessions":true`)
		session := agent.start()
		catalog := agent.catalog(session, "sha256:01")
		reviewer.choose(session, agent.search(session, catalog), wire.ChoiceAllowSession)
		if got := agent.state(session, agent.search(session, catalog)); got != "allowedOnce" {
			t.Fatalf("under the grant it is %s", got)
		}
		agent.must(wire.MethodCatalogUpdate, listing(session, fmt.Sprintf(`"catalogId":%q`, catalog), "sha256:02"), nil)
		waits := agent.search(session, catalog)
		reviewer.event(wire.MethodApprovalRequest, waits, `"toolDigest":"sha256:02"`)
		await := agent.send(wire.MethodApprovalAwait, inSession(session, fmt.Sprintf(`"approvalIds":[%q]`, waits)))
		agent.must(wire.MethodCatalogClose, inSession(session, fmt.Sprintf(`"commandId":%q,"catalogId":%q`, command(), catalog)), nil)
		if f := agent.answer(await); !holdsAll(f.raw, []string{`"outcome":"cancelled"`, `"source":"catalog"`}) {
			t.Errorf("the agent hears %s", f.raw)
		}
		reviewer.event(wire.MethodApprovalResolved, waits, `"source":"catalog"`)
		if rows := reviewer.grants(inSession(session)); len(rows) != 1 || rows[0].InForce {
			t.Errorf("grants: %+v", rows)
		}
	})
}

// A catalog ends with the daemon, whoever looks first: a list of grants that
// loads no session, or the command that does. An idle session is read again and
// loses nothing.
func TestACatalogEndsWithTheDaemonAndNotWithIdleness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		c := h.as(wire.RoleBoth)
		session := c.start()
		catalog := c.catalog(session, "sha256:01")
		id := c.search(session, catalog)
		c.choose(session, id, wire.ChoiceAllowSession)
		c.must(wire.MethodViewUnsubscribe, inSession(session), nil)
		<-time.After(3 * sequencer.DefaultIdleWindow)
		h.seq.View(func(state *fold.State) {
			if in, _ := state.Session(numberedIn(t, session)); in.Loaded() {
				t.Error("the session is still loaded")
			}
		})
		if rows := c.grants(`{}`); len(rows) != 1 || !rows[0].InForce {
			t.Errorf("grants of an idle session: %+v", rows)
		}
		if got := c.state(session, c.search(session, catalog)); got != "allowedOnce" {
			t.Errorf("under the grant of a session that was idle it is %s", got)
		}
		l := h.log.Memory
		h.close()

		c = newHostOver(t, l).as(wire.RoleBoth)
		if rows := c.grants(`{}`); len(rows) != 1 || rows[0].InForce {
			t.Errorf("grants before the session is loaded: %+v", rows)
		}
		if e := c.refused(wire.MethodApprovalOpen, searching(session, catalog)); e.Code != wire.CodeCatalogClosed {
			t.Errorf("under the catalog: %+v", e)
		}
		if rows := c.grants(inSession(session)); len(rows) != 1 || rows[0].InForce {
			t.Errorf("grants afterwards: %+v", rows)
		}
	})
}

func numberedIn(t *testing.T, text string) approval.ID {
	t.Helper()
	id, err := approval.ParseID(text)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// Nothing of a turn is heard after its end, and the ack comes first.
func TestTheEndOfATurnIsTheLastThingHeardOfIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		agent, reviewer := h.as(wire.RoleAgent), h.as(wire.RoleReviewer, `"allSessions":true`)
		session := agent.start()
		agent.open(session, `"turnId":"turn_1"`)
		agent.open(session, `"turnId":"turn_1"`)
		done := agent.send(wire.MethodTurnComplete, inSession(session, fmt.Sprintf(`"commandId":%q,"turnId":"turn_1","terminal":"cancelled","reason":"the user said so"`, command())))
		agent.answer(done)
		h.settle()
		for name, c := range map[string]*client{"agent": agent, "reviewer": reviewer} {
			var heard []string
			for _, f := range c.all() {
				switch {
				case string(f.ID) == done && f.Method == "":
					heard = append(heard, "ack")
				case f.Method == wire.MethodApprovalResolved, f.Method == wire.MethodTurnCompleted:
					heard = append(heard, f.Method)
				}
			}
			want := "approval/resolved approval/resolved turn/completed"
			if name == "agent" {
				want = "ack " + want
			}
			if got := strings.Join(heard, " "); got != want {
				t.Errorf("the %s hears %s", name, got)
			}
		}
		reviewer.event(wire.MethodTurnCompleted, `"terminal":"cancelled","reason":"the user said so"`)
		if e := agent.refused(wire.MethodApprovalOpen, openParams(session, `"turnId":"turn_1"`)); e.Data.Reason != wire.ReasonTurnEnded {
			t.Errorf("opened in it: %+v", e)
		}
	})
}

func TestParamsOfCatalogsAndTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newHost(t).as(wire.RoleBoth)
		session := c.start()
		long := strings.Repeat("x", maxName+1)
		var many strings.Builder
		for n := range maxTools + 1 {
			fmt.Fprintf(&many, `{"name":"t%d","digest":"d"},`, n)
		}
		for _, bad := range []struct{ method, members, says string }{
			{wire.MethodCatalogOpen, `"serverName":"find"`, "tools must be given"},
			{wire.MethodCatalogOpen, `"serverName":"find","tools":null`, "tools must be given"},
			{wire.MethodCatalogOpen, `"tools":[]`, "serverName"},
			{wire.MethodCatalogOpen, `"serverName":"` + long + `","tools":[]`, "serverName"},
			{wire.MethodCatalogOpen, `"serverName":"find","transport":"` + long + `","tools":[]`, "transport"},
			{wire.MethodCatalogOpen, `"serverName":"find","tools":[{"name":"","digest":"d"}]`, "tools[0].name"},
			{wire.MethodCatalogOpen, `"serverName":"find","tools":[{"name":"t","digest":"d"},{"name":"u"}]`, "tools[1].digest"},
			{wire.MethodCatalogOpen, `"serverName":"find","tools":[{"name":"t","digest":"d"},{"name":"t","digest":"d"}]`, "listed before"},
			{wire.MethodCatalogOpen, `"serverName":"find","tools":[` + strings.TrimSuffix(many.String(), ",") + `]`, "at most 10000, not 10001"},
			{wire.MethodCatalogUpdate, `"catalogId":"find","tools":[]`, "catalogId"},
			{wire.MethodCatalogUpdate, `"catalogId":"` + session + `"`, "tools must be given"},
			{wire.MethodCatalogClose, `"tools":[]`, "catalogId"},
			{wire.MethodTurnComplete, `"terminal":"completed"`, "turnId"},
			{wire.MethodTurnComplete, `"turnId":"t"`, "terminal must be completed, cancelled or failed"},
			{wire.MethodTurnComplete, `"turnId":"t","terminal":"Completed"`, "terminal"},
			{wire.MethodTurnComplete, `"turnId":"t","terminal":"failed","reason":"` + strings.Repeat("x", maxReason+1) + `"`, "reason"},
		} {
			e := c.refused(bad.method, inSession(session, fmt.Sprintf(`"commandId":%q`, command()), bad.members))
			if e.Code != wire.CodeInvalidParams || !strings.Contains(e.Message, bad.says) {
				t.Errorf("%s with %.80s: %+v", bad.method, bad.members, e)
			}
		}
		for _, method := range []string{wire.MethodCatalogOpen, wire.MethodCatalogUpdate, wire.MethodCatalogClose, wire.MethodTurnComplete} {
			for _, params := range []string{inSession(session), `{"commandId":"x"}`, `{"commandId":"` + command() + `"}`, `[]`} {
				if e := c.refused(method, params); e.Code != wire.CodeInvalidParams {
					t.Errorf("%s with %s: %+v", method, params, e)
				}
			}
		}
	})
}
