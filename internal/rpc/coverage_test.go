package rpc

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/wire"
)

// viewer is what one connection must be sent, said as simply as it can be: what
// happens to a session while it is covered comes once, when it is published or
// when somebody subscribes to it again, and what has not come when nothing covers
// it any more never does. It is asked once about what waits, for as long as it is
// covered.
type viewer struct {
	parent map[string]string // "" for a root
	named  map[string]bool
	owed   map[string][]string // by session: approvals that were opened while it was covered
	sent   map[string][]string
	all    map[string][]string // that were ever opened
	asked  map[string]bool     // approvals
	asks   map[string]int      // how often each was asked about
}

func newViewer() *viewer {
	return &viewer{
		parent: map[string]string{}, named: map[string]bool{}, owed: map[string][]string{}, sent: map[string][]string{},
		all: map[string][]string{}, asked: map[string]bool{}, asks: map[string]int{},
	}
}

// ask asks about approvals, unless it has since the session was covered.
func (v *viewer) ask(ids []string) {
	for _, id := range ids {
		if !v.asked[id] {
			v.asked[id] = true
			v.asks[id]++
		}
	}
}

func (v *viewer) covered(session string) bool {
	for ; session != ""; session = v.parent[session] {
		if v.named[session] {
			return true
		}
	}
	return false
}

func (v *viewer) below(ancestor string) (sessions []string) {
	for session := range v.parent {
		for at := session; at != ""; at = v.parent[at] {
			if at == ancestor {
				sessions = append(sessions, session)
			}
		}
	}
	return sessions
}

func (v *viewer) opened(session, id string) {
	v.all[session] = append(v.all[session], id)
	if v.covered(session) {
		v.owed[session] = append(v.owed[session], id)
	}
}

func (v *viewer) published() {
	for session := range v.owed {
		v.deliver(session)
	}
}

func (v *viewer) deliver(session string) {
	v.sent[session] = append(v.sent[session], v.owed[session]...)
	v.ask(v.owed[session])
	delete(v.owed, session)
}

func (v *viewer) subscribe(session string) {
	for _, in := range v.below(session) {
		v.deliver(in)
		v.ask(v.all[in])
	}
	v.named[session] = true
}

func (v *viewer) unsubscribe(session string) {
	delete(v.named, session)
	for _, in := range v.below(session) {
		if !v.covered(in) {
			delete(v.owed, in)
			for _, id := range v.all[in] {
				delete(v.asked, id)
			}
		}
	}
}

// However a connection subscribes to sessions and leaves them, above and below
// each other, before and after what happens there is published, it is sent what
// the viewer says.
func TestSubscriptionsAboveAndBelowEachOther(t *testing.T) {
	for seed := range uint64(100) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := rand.New(rand.NewPCG(seed, 1))
				h := newHost(t)
				h.ring.mostRecords = 1 + r.IntN(4)
				agent, c := h.as(wire.RoleBoth, `"interactive":false`), h.as(wire.RoleReviewer)
				v := newViewer()
				start := func(parent string) {
					if parent == "" {
						v.parent[agent.start()] = ""
					} else {
						v.parent[agent.child(parent)] = parent
					}
				}
				pick := func() string {
					sessions := slices.Sorted(maps.Keys(v.parent))
					return sessions[r.IntN(len(sessions))]
				}
				start("")
				for range 40 {
					switch n := r.IntN(10); {
					case n < 4:
						session := pick()
						v.opened(session, agent.open(session))
					case n < 5 && len(v.parent) < 6:
						start([]string{"", pick()}[r.IntN(2)])
					case n < 7:
						session := pick()
						c.subscribe(session)
						v.subscribe(session)
					case n < 8:
						session := pick()
						c.must(unsubscribe, inSession(session), nil)
						v.unsubscribe(session)
					case n < 9: // one group waits, and what comes behind it is not even durable
						h.settle()
						h.publish.close()
						session := pick()
						v.opened(session, agent.open(session))
						for range 1 + r.IntN(6) {
							session := pick()
							if r.IntN(2) == 0 {
								c.subscribe(session)
								v.subscribe(session)
							} else {
								c.must(unsubscribe, inSession(session), nil)
								v.unsubscribe(session)
							}
							h.settle()
						}
						h.publish.open()
					}
					h.settle()
					v.published()
				}
				for session := range v.parent {
					var got []string
					for _, f := range c.all() {
						if e, ok := eventOf(f); ok && e.session == session {
							var params wire.ApprovalRequest
							if err := json.Unmarshal(f.Params, &params); err != nil {
								t.Fatal(err)
							}
							got = append(got, params.ApprovalID)
						}
					}
					if diff := cmp.Diff(v.sent[session], got); diff != "" {
						t.Errorf("session %s (-want +got):\n%s", session, diff)
					}
					for _, id := range v.all[session] {
						if n := c.heard(wire.MethodApprovalRequest, id); n != v.asks[id] {
							t.Errorf("approval %s of session %s was asked about %d times, want %d", id, session, n, v.asks[id])
						}
					}
				}
			})
		})
	}
}
