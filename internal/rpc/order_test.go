package rpc

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/wire"
)

// What one commit shows on a connection, in order (protocol §5): session/started,
// the ack, the view events, each approval/request right behind its
// approval/requested, session/statusChanged.
func TestOrderOfOneCommit(t *testing.T) {
	const (
		started, ack   = "session/started", "answer"
		requested, ask = "approval/requested", "approval/request"
		updated, done  = "approval/updated", "approval/resolved"
		closed, mode   = "session/closed", "session/approvalModeChanged"
		status         = "session/statusChanged"
	)
	shell := func(command string) string {
		return fmt.Sprintf(`"subject":{"kind":"shell","command":%q,"cwd":"/"}`, command)
	}
	open := func(c *client, session, subject string) (id string) {
		params := strings.Replace(openParams(session), `"subject":{"kind":"tool"}`, subject, 1)
		var result wire.ApprovalOpenResult
		c.must(wire.MethodApprovalOpen, params, &result)
		return result.ApprovalID
	}
	type stage struct {
		*client // its frames are looked at
		session string
		pending string // an approval of three stages
	}
	cases := map[string]struct {
		act      func(s stage)
		caller   []string // what the caller is sent, interactive and subscribed
		reviewer []string // what a reviewer of all sessions is sent
	}{
		"session/start": {
			func(s stage) { s.start() },
			[]string{started, ack},
			[]string{started},
		},
		"approval/open that waits": {
			func(s stage) { s.open(s.session) },
			[]string{ack, requested, ask},
			[]string{requested, ask},
		},
		"approval/open that policy settles": {
			func(s stage) {
				s.must(wire.MethodSessionSetApprovalMode, inSession(s.session, fmt.Sprintf(`"commandId":%q,"mode":"denyUnmatched"`, command())), nil)
				synctest.Wait()
				s.open(s.session)
			},
			[]string{ack, mode, ack, requested, done},
			[]string{mode, requested, done},
		},
		"a stage": {
			func(s stage) { s.choose(s.session, s.pending, wire.ChoiceAllowOnce) },
			[]string{ack, updated, requested, ask},
			[]string{updated, requested, ask},
		},
		"all stages": {
			func(s stage) { s.choose(s.session, s.pending, wire.ChoiceAllowAllOnce) },
			[]string{ack, updated, updated, updated, done, status},
			[]string{updated, updated, updated, done, status},
		},
		"abort": {
			func(s stage) { s.choose(s.session, s.pending, wire.ChoiceAbort) },
			[]string{ack, done, status},
			[]string{done, status},
		},
		"cancel of everything": {
			func(s stage) {
				s.open(s.session)
				synctest.Wait()
				s.must(wire.MethodApprovalCancel, inSession(s.session, fmt.Sprintf(`"commandId":%q,"all":true`, command())), nil)
			},
			[]string{ack, requested, ask, ack, done, done, status},
			[]string{requested, ask, done, done, status},
		},
		"session/close": {
			func(s stage) {
				s.must(wire.MethodSessionClose, inSession(s.session, fmt.Sprintf(`"commandId":%q`, command())), nil)
			},
			[]string{ack, done, closed, status},
			[]string{done, closed, status},
		},
		"session/setApprovalMode": {
			func(s stage) {
				s.must(wire.MethodSessionSetApprovalMode, inSession(s.session, fmt.Sprintf(`"commandId":%q,"mode":"allowAll"`, command())), nil)
			},
			[]string{ack, mode},
			[]string{mode},
		},
		"a repeated command": {
			func(s stage) {
				params := openParams(s.session)
				s.must(wire.MethodApprovalOpen, params, nil)
				synctest.Wait()
				s.must(wire.MethodApprovalOpen, params, nil)
			},
			[]string{ack, requested, ask, ack},
			[]string{requested, ask},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHost(t)
				caller, reviewer := h.as(wire.RoleBoth), h.as(wire.RoleReviewer, `"allSessions":true`)
				session := caller.start()
				pending := open(caller, session, shell("make a && make b && make c"))
				h.settle()
				before := map[*client]int{caller: len(caller.all()), reviewer: len(reviewer.all())}
				c.act(stage{caller, session, pending})
				h.settle()
				for who, want := range map[*client][]string{caller: c.caller, reviewer: c.reviewer} {
					var got []string
					for _, f := range who.all()[before[who]:] {
						if f.Method == "" {
							f.Method = ack
						}
						got = append(got, f.Method)
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("frames (-want +got):\n%s", diff)
					}
				}
			})
		})
	}
}

// A request shares params and cursor with its event, byte for byte, and with
// the page.
func TestRequestEventAndPageAreTheSameBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		c := h.as(wire.RoleBoth)
		session := c.start()
		c.open(session)
		event, request := c.event(wire.MethodApprovalRequested), c.event(wire.MethodApprovalRequest)
		if diff := cmp.Diff(string(event.Params), string(request.Params)); diff != "" {
			t.Errorf("approval/request (-event +request):\n%s", diff)
		}
		page := c.page(session, 1)
		if diff := cmp.Diff(string(event.Params), string(page[0].Params)); diff != "" {
			t.Errorf("view/page (-event +page):\n%s", diff)
		}
	})
}

// A request that was settled before it could be sent is not sent.
func TestSettledRequestIsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		agent, reviewer := h.as(wire.RoleBoth, `"interactive":false`), h.as(wire.RoleReviewer, `"allSessions":true`)
		session := agent.start()
		reviewer.pipe.deafen()
		id := reviewer.send(wire.MethodSessionList, `{}`) // the writer waits for the peer
		h.settle()
		settled, waits := agent.open(session), agent.open(session)
		agent.choose(session, settled, wire.ChoiceAbort)
		reviewer.pipe.listen()
		reviewer.answer(id)
		h.settle()
		sameView(t, session, reviewer, agent)
		if n := reviewer.heard(wire.MethodApprovalRequest, settled); n != 0 {
			t.Error("a request was sent for an approval that is settled")
		}
		if n := reviewer.heard(wire.MethodApprovalRequest, waits); n != 1 {
			t.Errorf("%d requests for the approval that waits", n)
		}
	})
}

// Statuses and starts coalesce to the latest of a session for a peer that is
// behind; events do not.
func TestStatusCoalescesAndEventsDoNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		agent, reviewer := h.as(wire.RoleBoth), h.as(wire.RoleReviewer, `"allSessions":true`)
		session := agent.start()
		h.settle()
		reviewer.pipe.deafen()
		id := reviewer.send(wire.MethodSessionList, `{}`)
		h.settle()
		for range 10 {
			agent.choose(session, agent.open(session), wire.ChoiceAllowOnce)
		}
		agent.open(session)
		h.settle()
		reviewer.pipe.listen()
		reviewer.answer(id)
		h.settle()
		sameView(t, session, reviewer, agent)
		if n := reviewer.heard(wire.MethodSessionStatusChanged); n != 1 {
			t.Errorf("%d statuses were sent to a peer that was behind", n)
		}
		if last := reviewer.all()[len(reviewer.all())-1]; last.Method != wire.MethodSessionStatusChanged || !holdsAll(last.raw, []string{"approvalPending"}) {
			t.Errorf("the last frame is %s", last.raw)
		}
	})
}

// What can be opted out of is not sent, what is protected is, and whoever
// opts out still gets the answers (protocol §5).
func TestOptingOut(t *testing.T) {
	every := []string{
		wire.MethodApprovalRequested, wire.MethodApprovalUpdated, wire.MethodApprovalResolved, wire.MethodApprovalRequest,
		wire.MethodSessionStarted, wire.MethodSessionStatusChanged, wire.MethodSessionApprovalModeChanged, wire.MethodSessionClosed,
	}
	protected := map[string]bool{wire.MethodApprovalResolved: true, wire.MethodApprovalRequest: true}
	for _, out := range append([][]string{nil, every, {"no/suchMethod"}}, one(every)...) {
		t.Run(strings.Join(out, ","), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHost(t)
				agent, c := h.as(wire.RoleBoth), h.connect("reviewer", wire.RoleReviewer)
				names, err := wire.Marshal(wire.List[string](out))
				if err != nil {
					t.Fatal(err)
				}
				c.greet(fmt.Sprintf(`{"optOutNotificationMethods":%s,"approvald":{"allSessions":true}}`, names))
				h.settle()
				session := agent.start()
				id := agent.open(session)
				h.settle()
				stages := strings.Replace(openParams(session), `{"kind":"tool"}`, `{"kind":"shell","command":"make a && make b","cwd":"/"}`, 1)
				var result wire.ApprovalOpenResult
				agent.must(wire.MethodApprovalOpen, stages, &result)
				agent.choose(session, result.ApprovalID, wire.ChoiceAllowOnce)
				agent.choose(session, id, wire.ChoiceAbort)
				agent.must(wire.MethodSessionSetApprovalMode, inSession(session, fmt.Sprintf(`"commandId":%q,"mode":"allowAll"`, command())), nil)
				agent.must(wire.MethodSessionClose, inSession(session, fmt.Sprintf(`"commandId":%q`, command())), nil)
				h.settle()
				for _, method := range every {
					unwanted := strings.Contains(","+strings.Join(out, ",")+",", ","+method+",") && !protected[method]
					if got := c.heard(method) > 0; got == unwanted {
						t.Errorf("%s was sent: %t", method, got)
					}
				}
			})
		})
	}
}

// one makes a list of each.
func one(of []string) (lists [][]string) {
	for _, s := range of {
		lists = append(lists, []string{s})
	}
	return lists
}
