package rpc

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// listed are the sessions of every page, of so many each, as they stand.
func (c *client) listed(limit int, members ...string) (sessions []string) {
	c.t.Helper()
	cursor := ""
	for {
		params := fmt.Sprintf(`{"limit":%d`, limit)
		for _, member := range members {
			params += "," + member
		}
		if cursor != "" {
			params += fmt.Sprintf(`,"cursor":%q`, cursor)
		}
		var page wire.SessionListResult
		c.must(wire.MethodSessionList, params+"}", &page)
		for _, session := range page.Sessions {
			sessions = append(sessions, session.SessionID)
		}
		if page.NextCursor == nil {
			return sessions
		}
		if len(page.Sessions) != limit {
			c.t.Errorf("a page that is not the last has %d sessions, want %d", len(page.Sessions), limit)
		}
		cursor = *page.NextCursor
	}
}

// settableClock is the machine's, except that it tells whatever time it is set to.
type settableClock struct {
	sequencer.SystemClock
	now atomic.Pointer[time.Time]
}

func (c *settableClock) Now() time.Time { return *c.now.Load() }

// The list is the naive one: every session once, by the time of its last record,
// then by its first, whatever the pages, however often it is asked for, and also
// where the clock stands still or is set back.
func TestTheListIsOrderedByTheTimeOfTheLastRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := new(settableClock)
		now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		clock.now.Store(&now)
		h := newHost(t, func(_ *host, cfg *Config) { cfg.Clock = clock })
		c := h.as(wire.RoleBoth)
		r := rand.New(rand.NewPCG(1, 1))
		roots := []string{t.TempDir(), t.TempDir()}
		type naive struct {
			id, root string
			updated  time.Time
			first    int
		}
		var sessions []*naive
		newest := func(root string) (ids []string) {
			sorted := slices.Clone(sessions)
			slices.SortFunc(sorted, func(a, b *naive) int {
				return cmp.Or(b.updated.Compare(a.updated), b.first-a.first)
			})
			for _, s := range sorted {
				if root == "" || s.root == root {
					ids = append(ids, s.id)
				}
			}
			return ids
		}
		modes := []string{"denyUnmatched", "promptUnmatched"}
		for step := range 4000 {
			later := now.Add(time.Duration(r.IntN(3)) * time.Millisecond)
			if r.IntN(200) == 0 {
				later = now.Add(-time.Duration(r.IntN(50)) * time.Millisecond)
			}
			now = later
			clock.now.Store(&later)
			if step < 20 || step%100 == 0 {
				root := roots[r.IntN(2)]
				sessions = append(sessions, &naive{c.start(fmt.Sprintf(`"workspaceRoot":%q`, root)), root, now, step})
			} else {
				s := sessions[r.IntN(len(sessions))]
				s.updated = now // a mode that is in force already is a record too
				c.must(wire.MethodSessionSetApprovalMode, inSession(s.id, fmt.Sprintf(`"commandId":%q,"mode":%q`, command(), modes[step%2])), nil)
			}
			if step > 3000 || r.IntN(50) > 0 { // at last the order is far behind
				continue
			}
			if diff := gocmp.Diff(newest(""), c.listed(1+r.IntN(len(sessions)+1))); diff != "" {
				t.Fatalf("after %d steps (-want +got):\n%s", step, diff)
			}
		}
		for _, limit := range []int{1, 7, maxSessions} {
			if diff := gocmp.Diff(newest(""), c.listed(limit)); diff != "" {
				t.Errorf("by %d (-want +got):\n%s", limit, diff)
			}
			for _, root := range roots {
				if diff := gocmp.Diff(newest(root), c.listed(limit, fmt.Sprintf(`"workspaceRoot":%q`, root))); diff != "" {
					t.Errorf("of a workspace by %d (-want +got):\n%s", limit, diff)
				}
			}
		}
		if n, most := len(h.recency.order), 2*len(sessions)+spareEntries; n > most {
			t.Errorf("the order has %d entries, want at most %d", n, most)
		}
	})
}

// A page goes on where the one before it ended, whatever has happened since: what
// moved to the front is not listed again.
func TestAListGoesOnWhileSessionsMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newHost(t).as(wire.RoleBoth)
		var sessions []string
		for range 6 {
			sessions = append(sessions, c.start())
		}
		var page wire.SessionListResult
		c.must(wire.MethodSessionList, `{"limit":2}`, &page)
		c.must(wire.MethodSessionSetApprovalMode, inSession(sessions[5], fmt.Sprintf(`"commandId":%q,"mode":"denyUnmatched"`, command())), nil)
		c.start()
		var got []string
		for page.NextCursor != nil {
			cursor := *page.NextCursor
			page = wire.SessionListResult{}
			c.must(wire.MethodSessionList, fmt.Sprintf(`{"limit":2,"cursor":%q}`, cursor), &page)
			for _, session := range page.Sessions {
				got = append(got, session.SessionID)
			}
		}
		want := slices.Clone(sessions[:4])
		slices.Reverse(want)
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("the pages behind the first (-want +got):\n%s", diff)
		}
	})
}

// A list is made of what a start knows: no session is read for it.
func TestAListLoadsNoSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(log.Memory)
		first := newHostOver(t, l)
		c := first.as(wire.RoleBoth)
		var want []string
		for range 5 {
			session := c.start()
			c.open(session)
			want = slices.Insert(want, 0, session)
		}
		first.close()
		again := newHostOver(t, l, func(h *host, _ *Config) {
			h.reads = func(uint64) error { t.Error("a session is read"); return errors.New("it is not to be read") }
		})
		if diff := gocmp.Diff(want, again.as(wire.RoleReviewer).listed(2)); diff != "" {
			t.Errorf("sessions (-want +got):\n%s", diff)
		}
	})
}

// A list whose order cannot be brought up to date is refused, and the next one
// is made anew.
func TestAListThatCannotBeReadIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		c := h.as(wire.RoleBoth)
		want := []string{c.start()}
		c.listed(1)
		want = slices.Insert(want, 0, c.start())
		h.log.fails = errors.New("the disk is gone")
		if e := c.refused(wire.MethodSessionList, `{}`); e.Code != wire.CodeInternal {
			t.Errorf("it is answered %+v", e)
		}
		h.log.fails = nil
		if diff := gocmp.Diff(want, c.listed(1)); diff != "" {
			t.Errorf("sessions (-want +got):\n%s", diff)
		}
	})
}
