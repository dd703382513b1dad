package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// cursors are those of the view events of a session that a client was sent,
// in the order in which they came.
func (c *client) cursors(session string) (cursors []string) {
	for _, f := range c.all() {
		if e, ok := eventOf(f); ok && e.session == session {
			cursors = append(cursors, e.cursor)
		}
	}
	return cursors
}

// viewEvent is what a durable-sourced notification says about itself.
type viewEvent struct{ session, cursor string }

func eventOf(f received) (e viewEvent, ok bool) {
	if f.Method == "" || f.ID != nil {
		return e, false // a response, or a request of the server
	}
	var params struct {
		SessionID   string          `json:"sessionId"`
		ViewCursor  string          `json:"viewCursor"`
		SourceRange json.RawMessage `json:"sourceRange"`
	}
	if err := json.Unmarshal(f.Params, &params); err != nil || params.SourceRange == nil {
		return e, false
	}
	return viewEvent{params.SessionID, params.ViewCursor}, true
}

// pagedCursors are those of the whole view.
func (c *client) pagedCursors(session string) (cursors []string) {
	c.t.Helper()
	for _, e := range c.page(session, 1000) {
		var params struct {
			ViewCursor string `json:"viewCursor"`
		}
		if err := json.Unmarshal(e.Params, &params); err != nil {
			c.t.Fatal(err)
		}
		cursors = append(cursors, params.ViewCursor)
	}
	return cursors
}

// sameView compares what a client was sent of a session with the pages.
func sameView(t *testing.T, session string, sent *client, paged *client) {
	t.Helper()
	if diff := cmp.Diff(paged.pagedCursors(session), sent.cursors(session)); diff != "" {
		t.Errorf("cursors of session %s (-paged +sent):\n%s", session, diff)
	}
}

// Between being durable and being published a record is in the log and its
// command may not have been answered. Whoever reads from the log must not run
// ahead into it, and must not see it again afterwards.
func TestReadingBehindTheRingStopsAtWhatWasPublished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		h.ring.mostRecords = 1
		slow, agent := h.as(wire.RoleBoth, `"interactive":false`), h.as(wire.RoleBoth)
		session := agent.start()
		slow.subscribe(session)
		slow.pipe.deafen()
		for range 3 { // the first is on its way, the second falls out of the ring
			agent.open(session)
			h.settle()
		}
		h.publish.close()
		agent.open(session)
		slow.pipe.listen()
		h.settle()
		if got := len(slow.cursors(session)); got != 3 {
			t.Errorf("%d events were sent, 3 were published", got)
		}
		h.publish.open()
		h.settle()
		sameView(t, session, slow, agent)
	})
}

// A subscription that joins ahead of what is published must not make the
// connection believe that it has seen the records between.
func TestSubscribingLosesNothingOfAnotherSession(t *testing.T) {
	for name, second := range map[string]func(c *client, session string){
		"subscribe": func(c *client, session string) { c.subscribe(session) },
		"resume": func(c *client, session string) {
			c.must(wire.MethodSessionResume, inSession(session, fmt.Sprintf(`"commandId":%q`, command())), nil)
		},
		"start": func(c *client, _ string) { c.send(wire.MethodSessionStart, startParams()) }, // answered when the writer goes on
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHost(t)
				agent, c := h.as(wire.RoleBoth), h.as(wire.RoleReviewer)
				one, other := agent.start(), agent.start()
				c.subscribe(one)
				h.settle()
				h.publish.close()
				agent.open(one) // durable and answered, and not yet published
				second(c, other)
				h.settle()
				h.publish.open()
				h.settle()
				sameView(t, one, c, agent)
			})
		})
	}
}

// Subscribing again, by whatever method, to what a connection is subscribed to
// loses nothing that it is still owed, and repeats nothing but what is asked
// for again.
func TestSubscribingAgainLosesAndRepeatsNothing(t *testing.T) {
	again := map[string]func(c *client, session string) (id string){
		"subscribe": func(c *client, session string) string { return c.send(wire.MethodViewSubscribe, inSession(session)) },
		"subscribe after": func(c *client, session string) string {
			return c.send(wire.MethodViewSubscribe, inSession(session, fmt.Sprintf(`"after":"v:%s:4"`, session)))
		},
		"resume": func(c *client, session string) string {
			return c.send(wire.MethodSessionResume, inSession(session, fmt.Sprintf(`"commandId":%q`, command())))
		},
		"resume after": func(c *client, session string) string {
			return c.send(wire.MethodSessionResume, inSession(session, fmt.Sprintf(`"commandId":%q,"cursor":"v:%s:4"`, command(), session)))
		},
	}
	behind := map[string]func(h *host, c, agent *client, session string) (catchUp func()){
		"what is owed is not published": func(h *host, _, agent *client, session string) func() {
			h.publish.close()
			agent.open(session)
			return h.publish.open
		},
		"what is owed is not taken": func(_ *host, c, agent *client, session string) func() {
			c.pipe.deafen()
			for range 3 {
				agent.open(session)
				synctest.Wait() // the first is on its way alone
			}
			return c.pipe.listen
		},
		"nothing is owed": func(*host, *client, *client, string) func() { return func() {} },
	}
	for _, all := range []bool{false, true} {
		for how, fall := range behind {
			for method, subscribe := range again {
				t.Run(fmt.Sprintf("%s/%s/allSessions=%t", method, how, all), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						h := newHost(t)
						agent, c := h.as(wire.RoleBoth), h.as(wire.RoleReviewer, fmt.Sprintf(`"allSessions":%t`, all))
						session := agent.start() // the first record: its cursor is 4
						if !all {
							c.subscribe(session)
						}
						h.settle()
						catchUp := fall(h, c, agent, session)
						id := subscribe(c, session)
						h.settle()
						catchUp()
						c.decode(c.answer(id), nil)
						agent.open(session)
						h.settle()
						want := agent.pagedCursors(session)
						if strings.HasSuffix(method, "after") && how == "what is owed is not taken" {
							want = append(want[:1:1], want...) // it was on its way, and then asked for again
						}
						if diff := cmp.Diff(want, c.cursors(session)); diff != "" {
							t.Errorf("cursors (-want +got):\n%s", diff)
						}
						if n, want := c.heard(wire.MethodApprovalRequest), len(agent.pagedCursors(session)); n != want {
							t.Errorf("%d requests for %d approvals", n, want)
						}
						if method == "resume after" {
							wantReplayBeforeAnswer(t, c, id)
						}
					})
				})
			}
		}
	}
}

// wantReplayBeforeAnswer checks that the answer to a session/resume with a
// cursor came behind the events up to the cursor that it names.
func wantReplayBeforeAnswer(t *testing.T, c *client, id string) {
	t.Helper()
	var result wire.SessionResumeResult
	last := ""
	for _, f := range c.all() {
		if e, ok := eventOf(f); ok {
			last = e.cursor
		}
		if f.Method == "" && string(f.ID) == id {
			c.decode(f, &result)
			if result.ViewCursor != last && !strings.HasSuffix(result.ViewCursor, ":4") {
				t.Errorf("the answer stands at %s, the events before it end at %q", result.ViewCursor, last)
			}
		}
	}
}

// A status follows the events of its record. Where those are not shown it
// must come all the same.
func TestStatusComesWithoutItsEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		agent, c := h.as(wire.RoleBoth), h.connect("reviewer", wire.RoleReviewer)
		c.greet(`{"optOutNotificationMethods":["approval/requested"],"approvald":{"interactive":false}}`)
		session := agent.start()
		c.subscribe(session)
		c.pipe.deafen() // record and status wait together
		id := c.send(wire.MethodSessionList, `{}`)
		agent.open(session)
		h.settle()
		c.pipe.listen()
		h.settle()
		c.answer(id)
		if n := c.heard(wire.MethodSessionStatusChanged, "approvalPending"); n != 1 {
			t.Errorf("%d frames tell of the status", n)
		}
	})
}

// connAt is the connection of a transport.
func (h *host) connAt(name string) *conn {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.conns {
		if c.transport.Name == name {
			return c
		}
	}
	h.t.Fatalf("there is no connection on %s", name)
	return nil
}

// freeze keeps subscriptions from being entered and connections from being
// notified of what is committed from now on, until it is released or the test
// ends.
func (h *host) freeze(t *testing.T) (release func()) {
	t.Helper()
	eventually(t, "the writer waits", h.seq.Idle)
	h.mu.Lock()
	release = sync.OnceFunc(h.mu.Unlock)
	t.Cleanup(release)
	return release
}

// eventually waits for what another goroutine is about to do.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// Between the moment at which a subscription reads where the session stands
// and the one at which it is entered, events may pass. Whether an earlier
// subscription has the connection sent them or not, they come once.
func TestSubscribingWhileEventsPass(t *testing.T) {
	for method, more := range map[string]string{
		wire.MethodViewSubscribe: "", wire.MethodSessionResume: fmt.Sprintf(`,"commandId":%q`, command()),
	} {
		for _, again := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/again=%t", method, again), func(t *testing.T) {
				h := newHost(t)
				agent, c := h.as(wire.RoleBoth), h.as(wire.RoleReviewer)
				session, other := agent.start(), agent.start()
				c.subscribe(other)
				if again {
					c.subscribe(session)
				}
				of := h.connAt("reviewer")
				eventually(t, "everything has been sent", func() bool { return h.seq.Idle() && of.idle() })
				c.pipe.deafen()
				c.send(wire.MethodSessionList, `{}`)
				eventually(t, "the writer waits for the peer", func() bool { return of.out.owed() > 0 })
				agent.open(other)
				eventually(t, "its event is published, and waits", h.seq.Idle)

				release := h.freeze(t) // nothing is entered, and nobody is notified
				owed := of.out.owed()
				id := c.send(method, `{"sessionId":"`+session+`"`+more+`}`)
				eventually(t, "the subscription has been read", func() bool { return of.out.owed() > owed || of.inWorkNow() > 0 })
				agent.open(session)
				eventually(t, "the second event is published", func() bool { return h.head.Load() == h.log.Head() })
				c.pipe.listen()
				eventually(t, "the connection has passed it", func() bool { _, done := of.position(); return done == h.log.Head() })
				release()

				var answer struct {
					ViewCursor string `json:"viewCursor"`
				}
				c.decode(c.answer(id), &answer)
				c.event(wire.MethodApprovalRequested, agent.open(session))
				sameView(t, other, c, agent)
				if again {
					sameView(t, session, c, agent)
					return
				}
				// Of the first subscription comes what is behind its answer; the
				// scheduler says whether that was read before or after the event.
				want := behind(t, agent.pagedCursors(session), answer.ViewCursor)
				if diff := cmp.Diff(want, c.cursors(session)); diff != "" {
					t.Errorf("cursors behind %s (-want +got):\n%s", answer.ViewCursor, diff)
				}
			})
		}
	}
}

// behind are the cursors of a session that come after one of its own.
func behind(t *testing.T, cursors []string, after string) []string {
	t.Helper()
	place := func(cursor string) int {
		n, err := strconv.Atoi(cursor[strings.LastIndexByte(cursor, ':')+1:])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return slices.DeleteFunc(slices.Clone(cursors), func(c string) bool { return place(c) <= place(after) })
}

// position is where a connection stands in the log.
func (c *conn) position() (next, done uint64) {
	c.pump.mu.Lock()
	defer c.pump.mu.Unlock()
	return c.pump.next, c.pump.done
}

// inWorkNow is how many requests are in work.
func (c *conn) inWorkNow() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inWork
}

// A connection whose position is ahead of what was published has considered
// nothing in between: a record of another session that is published, and of
// which it has not been notified yet, is not lost.
func TestPositionAheadPassesOverNothing(t *testing.T) {
	h := newHost(t)
	agent, c := h.as(wire.RoleBoth), h.as(wire.RoleReviewer)
	one, other := agent.start(), agent.start()
	c.subscribe(one)
	of := h.connAt("reviewer")
	eventually(t, "the subscription stands", of.out.idle)

	release := h.freeze(t) // nobody is notified
	id := agent.open(one)
	eventually(t, "the record is published", func() bool { return h.head.Load() == h.log.Head() })
	add(h.watchers, mustID(t, other), of)
	of.pump.subscribe([]approval.ID{mustID(t, other)}, h.log.Head(), func(joining) []task { return nil })
	eventually(t, "the position was looked at", of.out.idle)
	release()

	c.event(wire.MethodApprovalRequested, id)
}

func mustID(t *testing.T, text string) approval.ID {
	t.Helper()
	id, err := approval.ParseID(text)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// A session that is subscribed to for the first time while records of it go out,
// because they are further on than what its state was read at, comes in order and
// whole, whichever record it meets: what the subscription replays is older than what
// is still live.
func TestSubscribingWhileRecordsGoOutKeepsTheirOrder(t *testing.T) {
	for name, arrange := range map[string]func(h *host, between func(seq uint64)){
		"from the ring": func(h *host, between func(uint64)) {
			render := h.ring.render
			h.ring.render = func(r record.Record) ([]shown, error) {
				between(r.Seq)
				return render(r)
			}
		},
		"from the log": func(h *host, between func(uint64)) {
			h.ring.mostRecords = 1
			h.log.reads = between
		},
	} {
		for met := range uint64(6) { // they are of the other and of the one, in turn
			t.Run(fmt.Sprintf("%s, at record %d", name, met+1), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					h := newHost(t)
					agent, c := h.as(wire.RoleBoth, `"interactive":false`), h.as(wire.RoleReviewer)
					one, other, third := agent.start(), agent.start(), agent.start()
					c.subscribe(one)
					agent.open(third) // nothing is left to look for
					h.settle()
					join := h.log.Head()
					of := h.connAt("reviewer")
					h.publish.close()
					agent.open(third)
					agent.pipe.deafen() // so that nobody else's reading is met
					agent.send(wire.MethodSessionList, `{}`)
					h.settle()
					for range 3 { // waits behind the gate, and is published at once
						agent.send(wire.MethodApprovalOpen, openParams(other))
						agent.send(wire.MethodApprovalOpen, openParams(one))
					}
					h.settle()
					once := sync.OnceFunc(func() { // the answer is nothing to wait for
						h.watch(of, mustID(t, other), join, func(met joining) []task {
							return []task{&replay{session: mustID(t, other), met: met, until: met.until}}
						})
					})
					arrange(h, func(seq uint64) {
						if seq == join+2+met {
							once()
						}
					})
					h.publish.open()
					h.settle()
					once() // what nobody reads is met by nobody
					agent.pipe.listen()
					h.settle()
					for _, session := range []string{one, other} {
						sameView(t, session, c, agent)
					}
				})
			})
		}
	}
}

// A session that has to be read after a restart, and one that cannot be, keep no
// reviewer of all sessions from answers and from what waits in the others. A list of
// everything that waits there is none without them.
func TestAReviewerOfAllSessionsWaitsForNoneThatHasToBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		agent := h.as(wire.RoleBoth)
		broken, sound := agent.start(), agent.start()
		agent.open(sound)
		agent.open(broken)
		last := h.log.Head()
		h.shutDown(time.Minute)

		disk := newGate()
		disk.close()
		again := newHostOver(t, h.log.Memory, func(h *host, _ *Config) {
			h.reads = func(seq uint64) error {
				disk.pass()
				if seq == last {
					return errors.New("a sector cannot be read")
				}
				return nil
			}
		})
		c := again.as(wire.RoleReviewer, `"allSessions":true`)
		c.must(wire.MethodSessionList, `{}`, nil)

		list := c.send(wire.MethodApprovalListPending, `{}`)
		again.settle()
		disk.open()
		if f := c.answer(list); f.Error == nil {
			t.Errorf("a list without what cannot be read: %s", f.raw)
		}
		c.event(wire.MethodApprovalRequest, sound)
		if e := c.refused(wire.MethodViewSubscribe, inSession(broken)); e.Code != wire.CodeInternal {
			t.Errorf("the subscription is refused with %+v", e)
		}
		c.must(wire.MethodSessionList, `{}`, nil)
	})
}
