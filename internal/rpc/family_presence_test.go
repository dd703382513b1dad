package rpc

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/wire"
)

// The attention of the sessions above follows, and a change is told once.
func TestStatusOfThoseAboveFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t)
		c := f.as(wire.RoleReviewer)
		f.settle()
		told := func(session string) (waits []bool) {
			for _, frame := range c.all() {
				if frame.Method == wire.MethodSessionStatusChanged && strings.Contains(frame.raw, `"sessionId":"`+session) {
					var params wire.SessionStatusChanged
					if err := json.Unmarshal(frame.Params, &params); err != nil {
						t.Fatal(err)
					}
					waits = append(waits, len(params.Attention) > 0)
				}
			}
			return waits
		}
		check := func(when string, want map[string][]bool) {
			t.Helper()
			f.settle()
			for session, want := range want {
				if diff := cmp.Diff(want, told(session)); diff != "" {
					t.Errorf("%s: session %s was said to wait (-want +got):\n%s", when, session, diff)
				}
			}
		}
		low := f.agent.open(f.grandchild)
		check("one waits below", map[string][]bool{f.root: {true}, f.child: {true}, f.grandchild: {true}, f.nobody: nil})
		high := f.agent.open(f.root)
		check("one waits above too", map[string][]bool{f.root: {true}, f.child: {true}, f.grandchild: {true}})
		f.agent.choose(f.grandchild, low, wire.ChoiceAbort)
		check("the one below is settled", map[string][]bool{f.root: {true}, f.child: {true, false}, f.grandchild: {true, false}})
		f.agent.choose(f.root, high, wire.ChoiceAbort)
		check("nothing waits", map[string][]bool{f.root: {true, false}, f.child: {true, false}, f.grandchild: {true, false}})
	})
}

// The status of a session above comes behind the event that changed it.
func TestStatusOfThoseAboveComesBehindTheEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t)
		c := f.as(wire.RoleReviewer)
		c.subscribe(f.root)
		f.settle()
		f.agent.open(f.grandchild)
		f.settle()
		var got []string
		for _, frame := range c.all() {
			switch frame.Method {
			case wire.MethodApprovalRequested, wire.MethodSessionStatusChanged:
				got = append(got, frame.Method)
			}
		}
		want := []string{wire.MethodApprovalRequested, wire.MethodSessionStatusChanged, wire.MethodSessionStatusChanged, wire.MethodSessionStatusChanged}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// Who is there for an ancestor is there for what is below it, and it matters
// when the last one of either leaves (protocol §2, §7 "Unattended").
func TestPresenceCoversTheSessionsBelow(t *testing.T) {
	cases := map[string]struct {
		come  func(f *family, c *client)
		leave func(f *family, c *client)
		want  string // of an approval of the grandchild
	}{
		"of the root, who stays":      {func(f *family, c *client) { c.subscribe(f.root) }, func(*family, *client) {}, "pending"},
		"of the child, who stays":     {func(f *family, c *client) { c.subscribe(f.child) }, func(*family, *client) {}, "pending"},
		"of another session":          {func(f *family, c *client) { c.subscribe(f.nobody) }, func(*family, *client) {}, "unavailable"},
		"of the root, who hangs up":   {func(f *family, c *client) { c.subscribe(f.root) }, func(_ *family, c *client) { c.hangUp() }, "unavailable"},
		"of the root, who leaves it":  {func(f *family, c *client) { c.subscribe(f.root) }, func(f *family, c *client) { c.must(unsubscribe, inSession(f.root), nil) }, "unavailable"},
		"of the root, who cannot":     {func(f *family, c *client) { c.subscribe(f.root) }, func(_ *family, c *client) { c.receipt("sourceIndex", cannotShow) }, "unavailable"},
		"of both, who leaves the one": {func(f *family, c *client) { c.subscribe(f.root); c.subscribe(f.grandchild) }, func(f *family, c *client) { c.must(unsubscribe, inSession(f.root), nil) }, "pending"},
		"of both, who leaves both": {func(f *family, c *client) { c.subscribe(f.root); c.subscribe(f.grandchild) }, func(f *family, c *client) {
			c.must(unsubscribe, inSession(f.grandchild), nil)
			c.must(unsubscribe, inSession(f.root), nil)
		}, "unavailable"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFamily(t)
				reviewer := f.as(wire.RoleReviewer)
				c.come(f, reviewer)
				f.settle()
				id := f.agent.open(f.grandchild, refuse)
				f.settle()
				c.leave(f, reviewer)
				f.settle()
				if got := f.agent.state(f.grandchild, id); got != c.want {
					t.Errorf("it is %s, want %s", got, c.want)
				}
			})
		})
	}
}
