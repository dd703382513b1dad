package rpc

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/wire"
)

// child starts a child session.
func (c *client) child(parent string, members ...string) string {
	c.t.Helper()
	return c.start(append(members, fmt.Sprintf(`"parentSessionId":%q`, parent))...)
}

// family is a session with a child and a grandchild, and one that is nobody's.
type family struct {
	*host
	agent                           *client // started them all; of role both, not interactive
	root, child, grandchild, nobody string
}

func newFamily(t *testing.T) *family {
	t.Helper()
	f := &family{host: newHost(t)}
	f.agent = f.as(wire.RoleBoth, `"interactive":false`)
	f.root, f.nobody = f.agent.start(), f.agent.start()
	f.child = f.agent.child(f.root)
	f.grandchild = f.agent.child(f.child)
	f.settle()
	return f
}

// lineages are the ways to the sessions of the family.
func (f *family) lineages() map[string][]string {
	return map[string][]string{
		f.root: {f.root}, f.child: {f.root, f.child}, f.grandchild: {f.root, f.child, f.grandchild}, f.nobody: {f.nobody},
	}
}

// Every event and request of a child comes once to a connection that covers it,
// by whichever subscriptions, and says where it comes from (protocol §4
// "Children").
func TestASubscriptionCoversTheSessionsBelow(t *testing.T) {
	cases := map[string]struct {
		watch  func(f *family) *client
		covers func(f *family) []string
	}{
		"the root": {
			func(f *family) *client { c := f.as(wire.RoleReviewer); c.subscribe(f.root); return c },
			func(f *family) []string { return []string{f.root, f.child, f.grandchild} },
		},
		"the child": {
			func(f *family) *client { c := f.as(wire.RoleReviewer); c.subscribe(f.child); return c },
			func(f *family) []string { return []string{f.child, f.grandchild} },
		},
		"the grandchild": {
			func(f *family) *client { c := f.as(wire.RoleReviewer); c.subscribe(f.grandchild); return c },
			func(f *family) []string { return []string{f.grandchild} },
		},
		"the root, resumed": {
			func(f *family) *client { c := f.as(wire.RoleReviewer); resume(c, f.root); return c },
			func(f *family) []string { return []string{f.root, f.child, f.grandchild} },
		},
		"the root and then the child": {
			func(f *family) *client {
				c := f.as(wire.RoleReviewer)
				c.subscribe(f.root)
				c.subscribe(f.child)
				return c
			},
			func(f *family) []string { return []string{f.root, f.child, f.grandchild} },
		},
		"the grandchild and then the root": {
			func(f *family) *client {
				c := f.as(wire.RoleReviewer)
				c.subscribe(f.grandchild)
				c.subscribe(f.root)
				return c
			},
			func(f *family) []string { return []string{f.root, f.child, f.grandchild} },
		},
		"all sessions": {
			func(f *family) *client { return f.as(wire.RoleReviewer, `"allSessions":true`) },
			func(f *family) []string { return []string{f.root, f.child, f.grandchild, f.nobody} },
		},
		"all sessions and the root": {
			func(f *family) *client {
				c := f.as(wire.RoleReviewer, `"allSessions":true`)
				c.subscribe(f.root)
				return c
			},
			func(f *family) []string { return []string{f.root, f.child, f.grandchild, f.nobody} },
		},
		"the root, and a child of it that is started later": {
			func(f *family) *client {
				c := f.as(wire.RoleReviewer)
				c.subscribe(f.root)
				f.settle()
				f.grandchild = f.agent.child(f.agent.child(f.root)) // under another
				return c
			},
			func(f *family) []string { return []string{f.root, f.child, f.grandchild} },
		},
		"a root that is left again": {
			func(f *family) *client {
				c := f.as(wire.RoleReviewer)
				c.subscribe(f.root)
				c.must(wire.MethodViewUnsubscribe, inSession(f.root), nil)
				return c
			},
			func(*family) []string { return nil },
		},
		"a root that is left again, and the child": {
			func(f *family) *client {
				c := f.as(wire.RoleReviewer)
				c.subscribe(f.root)
				c.subscribe(f.child)
				c.must(wire.MethodViewUnsubscribe, inSession(f.root), nil)
				return c
			},
			func(f *family) []string { return []string{f.child, f.grandchild} },
		},
		"the root, and a child that is left": {
			func(f *family) *client {
				c := f.as(wire.RoleReviewer)
				c.subscribe(f.root)
				c.subscribe(f.child)
				c.must(wire.MethodViewUnsubscribe, inSession(f.child), nil)
				return c
			},
			func(f *family) []string { return []string{f.root, f.child, f.grandchild} },
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFamily(t)
				later := f.grandchild
				watcher := c.watch(f)
				f.settle()
				covered := c.covers(f)
				for _, session := range []string{f.root, f.child, f.grandchild, f.nobody} {
					id := f.agent.open(session)
					f.settle()
					f.agent.choose(session, id, wire.ChoiceAbort)
					f.settle()
					want := 0
					if slices.Contains(covered, session) {
						want = 1
					}
					for _, method := range []string{wire.MethodApprovalRequested, wire.MethodApprovalRequest, wire.MethodApprovalResolved} {
						if n := watcher.heard(method, id); n != want {
							t.Errorf("%s of %v was heard %d times, want %d", method, session, n, want)
						}
					}
					if later == f.grandchild {
						f.origins(watcher, id, f.lineages()[session])
					}
				}
			})
		})
	}
}

// origins checks the session and the origin of every frame about an approval.
func (f *family) origins(c *client, id string, lineage []string) {
	f.t.Helper()
	session := lineage[len(lineage)-1]
	var want *wire.SubagentOrigin
	if len(lineage) > 1 {
		want = &wire.SubagentOrigin{ChildSessionID: session, Path: lineage}
	}
	for _, frame := range c.all() {
		if frame.Method == "" || !strings.Contains(frame.raw, id) {
			continue
		}
		var params struct {
			SessionID      string               `json:"sessionId"`
			ViewCursor     string               `json:"viewCursor"`
			SubagentOrigin *wire.SubagentOrigin `json:"subagentOrigin"`
		}
		if err := json.Unmarshal(frame.Params, &params); err != nil {
			f.t.Fatal(err)
		}
		if params.SessionID != session || !strings.HasPrefix(params.ViewCursor, "v:"+session+":") {
			f.t.Errorf("%s is said to be of session %s, cursor %s, want %s", frame.Method, params.SessionID, params.ViewCursor, session)
		}
		if diff := cmp.Diff(want, params.SubagentOrigin); diff != "" {
			f.t.Errorf("origin of %s (-want +got):\n%s", frame.Method, diff)
		}
	}
}

// What a child had pending before the subscription is asked about again; what it
// has done before is history, which comes where a cursor asks for it.
func TestWhatAChildDidBeforeASubscription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t)
		first := f.agent.open(f.root)
		settled := f.agent.open(f.grandchild)
		f.agent.choose(f.grandchild, settled, wire.ChoiceAllowOnce)
		pending := f.agent.open(f.child)
		f.agent.open(f.nobody)
		f.settle()
		var start struct {
			ViewCursor string `json:"viewCursor"`
		}
		if err := json.Unmarshal(f.agent.page(f.root, 10)[0].Params, &start); err != nil {
			t.Fatal(err)
		}

		fromHere := f.as(wire.RoleReviewer)
		fromHere.subscribe(f.root)
		f.settle()
		for id, want := range map[string][2]int{first: {0, 1}, pending: {0, 1}, settled: {0, 0}} {
			got := [2]int{fromHere.heard(wire.MethodApprovalRequested, id), fromHere.heard(wire.MethodApprovalRequest, id)}
			if got != want {
				t.Errorf("without a cursor, events and requests of %s: %v, want %v", id, got, want)
			}
		}

		after := map[string]func(c *client){
			"subscribe": func(c *client) { c.subscribe(f.root, fmt.Sprintf(`"after":%q`, start.ViewCursor)) },
			"resume": func(c *client) {
				c.must(wire.MethodSessionResume, inSession(f.root, fmt.Sprintf(`"commandId":%q,"cursor":%q`, command(), start.ViewCursor)), nil)
			},
		}
		for name, come := range after {
			c := f.as(wire.RoleReviewer)
			come(c)
			f.settle()
			var got []string
			for _, frame := range c.all() {
				if e, ok := eventOf(frame); ok {
					got = append(got, frame.Method+" "+e.session)
				}
			}
			want := []string{ // in the order of the log; the root's own is at the cursor
				wire.MethodApprovalRequested + " " + f.grandchild,
				wire.MethodApprovalResolved + " " + f.grandchild,
				wire.MethodApprovalRequested + " " + f.child,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s behind a cursor (-want +got):\n%s", name, diff)
			}
			if n := c.heard(wire.MethodApprovalRequest); n != 2 {
				t.Errorf("%s: %d requests, want those of the two that are pending", name, n)
			}
		}
	})
}

// A child that a connection covers is not replayed to it because its parent is.
func TestAReplayOfAParentRepeatsNothingOfACoveredChild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t)
		f.agent.open(f.root)
		f.settle()
		cursor := f.agent.pagedCursors(f.root)[0]
		c := f.as(wire.RoleReviewer)
		c.subscribe(f.child)
		f.settle()
		f.agent.open(f.child)
		f.agent.open(f.root)
		f.settle()
		c.subscribe(f.root, fmt.Sprintf(`"after":%q`, cursor))
		f.settle()
		for _, session := range []string{f.child, f.root} {
			if n := len(c.cursors(session)); n != 1 {
				t.Errorf("%d events of %s, want 1", n, session)
			}
		}
	})
}

// A long history of several sessions is replayed in the order of the log,
// whole, in as many batches as it takes.
func TestAReplayOfAFamilyIsInTheOrderOfTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t)
		first := f.agent.open(f.root)
		f.agent.choose(f.root, first, wire.ChoiceAbort)
		cursor := f.agent.pagedCursors(f.root)[0]
		sessions := []string{f.root, f.child, f.nobody, f.grandchild}
		for i := range replayBatch + replayBatch/2 {
			session := sessions[i%4]
			if i < replayBatch/2 {
				session = f.child // alone, for long
			}
			f.agent.send(wire.MethodApprovalOpen, openParams(session))
		}
		f.settle()
		c := f.as(wire.RoleReviewer, `"interactive":false`)
		c.subscribe(f.root, fmt.Sprintf(`"after":%q`, cursor))
		f.settle()
		var got []int
		for _, frame := range c.all() {
			if e, ok := eventOf(frame); ok {
				got = append(got, placeOfCursor(t, e.cursor))
			}
		}
		if !slices.IsSorted(got) {
			t.Error("the events are not in the order of the log")
		}
		want := len(f.agent.page(f.root, 1000)) - 1
		for _, session := range []string{f.child, f.grandchild} {
			want += len(f.agent.page(session, 1000))
		}
		if len(got) != want {
			t.Errorf("%d events were replayed, want %d", len(got), want)
		}
	})
}

// Lists of what is pending include what is pending below, in opening order.
func TestPendingOfASessionIncludesThatOfThoseBelow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t)
		var opened []string
		for _, session := range []string{f.grandchild, f.nobody, f.root, f.child} {
			opened = append(opened, f.agent.open(session))
		}
		f.settle()
		below := map[string][]string{
			f.root: {opened[0], opened[2], opened[3]}, f.child: {opened[0], opened[3]}, f.grandchild: {opened[0]}, f.nobody: {opened[1]},
		}
		for session, want := range below {
			var list wire.ApprovalListPendingResult
			f.agent.must(wire.MethodApprovalListPending, inSession(session), &list)
			var listed []string
			for _, row := range list.Approvals {
				listed = append(listed, row.ApprovalID)
			}
			if diff := cmp.Diff(want, listed); diff != "" {
				t.Errorf("listed (-want +got):\n%s", diff)
			}
			var read wire.SessionReadResult
			f.agent.must(wire.MethodSessionRead, inSession(session), &read)
			var resumed wire.SessionResumeResult
			f.agent.must(wire.MethodSessionResume, inSession(session, fmt.Sprintf(`"commandId":%q`, command())), &resumed)
			for name, pointers := range map[string][]wire.PendingRequest{"session/read": read.PendingRequests, "session/resume": resumed.PendingRequests} {
				var pointed []string
				for i, p := range pointers {
					pointed = append(pointed, p.ApprovalID)
					if p.ViewCursor != list.Approvals[i].ViewCursor {
						t.Errorf("%s points at cursor %s, want %s", name, p.ViewCursor, list.Approvals[i].ViewCursor)
					}
					if diff := cmp.Diff(list.Approvals[i].SubagentOrigin, p.SubagentOrigin); diff != "" {
						t.Errorf("%s points at origin (-want +got):\n%s", name, diff)
					}
				}
				if diff := cmp.Diff(want, pointed); diff != "" {
					t.Errorf("%s points at (-want +got):\n%s", name, diff)
				}
			}
		}
	})
}

func placeOfCursor(t *testing.T, cursor string) (n int) {
	t.Helper()
	if _, err := fmt.Sscan(cursor[strings.LastIndexByte(cursor, ':')+1:], &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Whoever leaves a parent and comes back is asked again about what is below.
func TestLeavingAParentForgetsWhatWasAskedBelow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t)
		id := f.agent.open(f.grandchild)
		c := f.as(wire.RoleReviewer)
		for n := range 3 {
			c.subscribe(f.root)
			f.settle()
			if got := c.heard(wire.MethodApprovalRequest, id); got != n+1 {
				t.Fatalf("it was asked %d times, want %d", got, n+1)
			}
			c.must(unsubscribe, inSession(f.root), nil)
		}
	})
}

// An orderly end is told of every session that is covered.
func TestDrainTellsOfTheSessionsBelow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t)
		c := f.as(wire.RoleReviewer)
		c.subscribe(f.root)
		f.settle()
		f.Drain(t.Context())
		c.end()
		for session, lineage := range f.lineages() {
			want := 0
			if lineage[0] == f.root {
				want = 1
			}
			if n := c.heard(wire.MethodSessionClosed, fmt.Sprintf(`"sessionId":%q`, session), string(wire.CloseHostShutdown)); n != want {
				t.Errorf("session %s was closed %d times, want %d", session, n, want)
			}
		}
		origin := fmt.Sprintf(`"subagentOrigin":{"childSessionId":%q,"path":[%q,%q,%q]}`, f.grandchild, f.root, f.child, f.grandchild)
		if c.heard(wire.MethodSessionClosed, origin) != 1 {
			t.Errorf("the end of the grandchild does not say %s", origin)
		}
	})
}

// What a subscription to a parent took over of a child's, because it was owed and
// not sent yet, does not come again when that subscription ends.
func TestLeavingAParentRepeatsNothingOfItsChild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t)
		c := f.as(wire.RoleReviewer)
		c.subscribe(f.child)
		f.settle()
		f.publish.close()
		f.agent.open(f.child) // durable, and not yet published
		c.subscribe(f.root)   // which reads it from the log
		f.settle()
		c.must(unsubscribe, inSession(f.root), nil)
		f.publish.open()
		f.settle()
		sameView(t, f.child, c, f.agent)
	})
}

// A start that is repeated on another connection, which is subscribed to all
// sessions, makes nothing come twice.
func TestARepeatedStartRepeatsNoEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		first, second := h.as(wire.RoleBoth), h.as(wire.RoleBoth, `"allSessions":true`)
		params := startParams()
		var started wire.SessionStartResult
		first.must(wire.MethodSessionStart, params, &started)
		session := started.Session.SessionID
		first.open(session)
		h.settle()
		second.must(wire.MethodSessionStart, params, nil)
		first.open(session)
		h.settle()
		sameView(t, session, second, first)
	})
}
