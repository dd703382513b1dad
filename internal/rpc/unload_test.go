package rpc

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// Sessions that nobody is subscribed to by name are unloaded all the time, while
// they are asked about, decided in and subscribed to: whoever sees them sees each
// event once, in order.
func TestWhoSeesSessionsThatComeAndGoSeesEachEventOnce(t *testing.T) {
	h := newHost(t, func(h *host, _ *Config) { h.idle = 100 * time.Microsecond })
	witness := h.as(wire.RoleReviewer, `"allSessions":true`)
	agent := h.as(wire.RoleBoth, `"interactive":false`)
	var sessions []string
	for range 3 {
		root := agent.start()
		sessions = append(sessions, root, agent.start(fmt.Sprintf(`"parentSessionId":%q`, root)))
	}
	for _, session := range sessions {
		agent.must(wire.MethodViewUnsubscribe, inSession(session), nil)
	}
	var unloaded int
	var all sync.WaitGroup
	for worker := range uint64(4) {
		c := h.as(wire.RoleBoth, fmt.Sprintf(`"interactive":%t`, worker%2 == 0))
		r := rand.New(rand.NewPCG(worker, 1))
		all.Go(func() {
			for range 20 {
				c.visit(r, sessions[r.IntN(len(sessions))])
				h.seq.View(func(state *fold.State) {
					for in := range state.Sessions() {
						if worker == 0 && !in.Loaded() {
							unloaded++
						}
					}
				})
			}
		})
	}
	all.Wait()
	if unloaded == 0 {
		t.Error("no session was ever unloaded")
	}
	reader := h.as(wire.RoleReviewer)
	for _, session := range sessions {
		agent.must(wire.MethodSessionSetApprovalMode, inSession(session, fmt.Sprintf(`"commandId":%q,"mode":"denyUnmatched"`, command())), nil)
		witness.event(wire.MethodSessionApprovalModeChanged, session)
		sameView(t, session, witness, reader)
	}
}

// visit does one thing that needs a session to be loaded.
func (c *client) visit(r *rand.Rand, session string) {
	c.t.Helper()
	switch r.IntN(6) {
	case 0, 1:
		id := c.open(session)
		if r.IntN(2) == 0 {
			c.must(wire.MethodApprovalListPending, `{}`, nil)
		}
		c.choose(session, id, wire.ChoiceAllowOnce)
		c.must(wire.MethodApprovalAwait, inSession(session, fmt.Sprintf(`"approvalIds":[%q]`, id)), nil)
	case 2:
		var sub wire.ViewSubscribeResult
		c.must(wire.MethodViewSubscribe, inSession(session), &sub)
		id := c.open(session)
		c.event(wire.MethodApprovalRequested, id)
		c.choose(session, id, wire.ChoiceAllowOnce)
		c.event(wire.MethodApprovalResolved, id)
		c.must(wire.MethodViewUnsubscribe, inSession(session), nil)
	case 3:
		c.must(wire.MethodSessionResume, inSession(session, fmt.Sprintf(`"commandId":%q`, command())), nil)
		c.must(wire.MethodViewUnsubscribe, inSession(session), nil)
	case 4:
		c.must(wire.MethodSessionRead, inSession(session), nil)
		c.page(session, 3)
	case 5:
		c.must(wire.MethodGrantList, inSession(session), nil)
	}
}

// Who is behind is not asked about what was settled meanwhile, and no session is
// loaded to find that out.
func TestWhoIsBehindLoadsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, func(h *host, _ *Config) { h.idle = time.Second })
		agent, c := h.as(wire.RoleBoth, `"interactive":false`), h.as(wire.RoleReviewer, `"allSessions":true`)
		session := agent.start()
		agent.must(wire.MethodViewUnsubscribe, inSession(session), nil)
		h.settle()
		c.pipe.deafen()
		c.send(wire.MethodSessionList, `{}`)
		h.settle()
		id := agent.open(session)
		agent.choose(session, id, wire.ChoiceAllowOnce)
		loaded := func() (loaded bool) {
			h.seq.View(func(state *fold.State) {
				in, _ := state.Session(mustID(t, session))
				loaded = in.Loaded()
			})
			return loaded
		}
		time.Sleep(5 * time.Second)
		h.settle()
		if loaded() {
			t.Fatal("the session was not unloaded")
		}
		c.pipe.listen()
		h.settle()
		if n := c.heard(wire.MethodApprovalRequested, id) + c.heard(wire.MethodApprovalResolved, id); n != 2 {
			t.Errorf("it was sent %d events of what happened, want both", n)
		}
		if n := c.heard(wire.MethodApprovalRequest); n != 0 || loaded() {
			t.Errorf("it was asked %d times; the session was loaded: %t", n, loaded())
		}
	})
}
