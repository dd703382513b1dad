package sequencer_test

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

func TestDeadlineSettlesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, newLog())
		session := r.session()
		id := r.accepted(r.opening(session, time.Hour)).Records[0].Approval
		answered := 0
		if _, unknown := r.Await(session, []approval.ID{id}, false, func() { answered++ }); unknown != nil {
			t.Fatal("not known")
		}
		time.Sleep(time.Hour - time.Millisecond)
		synctest.Wait()
		if !r.pending(session, id) {
			t.Fatal("settled before its deadline")
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if r.pending(session, id) {
			t.Fatal("pending at its deadline")
		}
		time.Sleep(100 * time.Hour)
		synctest.Wait()
		var settled []*record.ApprovalSettled
		for _, rec := range r.heard() {
			if body, ok := rec.Body.(*record.ApprovalSettled); ok {
				settled = append(settled, body)
			}
		}
		if len(settled) != 1 || settled[0].Outcome != string(approval.TimedOut) {
			t.Errorf("terminal records: %+v", settled)
		}
		if answered != 1 {
			t.Errorf("the await was answered %d times", answered)
		}
		if !r.Idle() {
			t.Error("not idle with nothing to do")
		}
	})
}

// What is decided in time has no deadline any more, and a new one that is
// nearer than the others comes first.
func TestDeadlinesComeInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, newLog())
		session := r.session()
		began := time.Now()
		minutes := []int{50, 10, 90, 10, 30, 70, 20, 60, 40, 80}
		var decided []approval.ID
		for i, n := range minutes {
			id := r.accepted(r.opening(session, time.Duration(n)*time.Minute)).Records[0].Approval
			if i%3 == 2 {
				decided = append(decided, id)
			}
		}
		for _, id := range decided {
			r.accepted(r.choose(session, id, wire.ChoiceAllowOnce))
		}
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		var fired []int
		for _, rec := range r.heard() {
			if body, ok := rec.Body.(*record.ApprovalSettled); ok && body.Outcome == string(approval.TimedOut) {
				fired = append(fired, int(rec.At.Sub(began)/time.Minute))
			}
		}
		if want := []int{10, 10, 20, 30, 50, 60, 80}; !slices.Equal(fired, want) {
			t.Errorf("deadlines came at minutes %d, want %d", fired, want)
		}
	})
}

// A decision that was sent in time but is taken up after the deadline loses
// to it (protocol §7 "Unattended").
func TestLateDecisionLosesToTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, newLog())
		session := r.session()
		id := r.accepted(r.opening(session, time.Minute)).Records[0].Approval
		r.log.hold()
		first := r.submit(r.opening(session, 0))
		<-r.log.entered
		late := r.submit(r.choose(session, id, wire.ChoiceAllowOnce))
		time.Sleep(2 * time.Minute) // the disk is slow
		r.log.free()
		<-first
		reply := <-late
		if code(reply) != wire.CodeApprovalAlreadyResolved || reply.Refusal.Data.Resolution.Outcome != wire.Outcome(approval.TimedOut) {
			t.Errorf("the late decision: %+v", reply)
		}
	})
}

// A deadline survives a restart as the instant that was recorded.
func TestDeadlineOfASuccessorIsTheRecordedInstant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLog()
		r := start(t, l)
		session := r.session()
		r.accepted(r.opening(session, time.Hour))
		r.Drain()
		if err := <-r.ended; err != nil {
			t.Fatal(err)
		}
		time.Sleep(40 * time.Minute)
		again := start(t, l)
		successor := again.accepted(decide.Recover{Session: session}).Records[2].Approval
		time.Sleep(20*time.Minute - time.Millisecond)
		synctest.Wait()
		if !again.pending(session, successor) {
			t.Fatal("settled before the recorded instant")
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if again.pending(session, successor) {
			t.Error("pending at the recorded instant")
		}
	})
}

// tickingClock moves by a millisecond whenever it is asked. Its timers never
// call: the deadlines must not depend on being woken for them.
type tickingClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *tickingClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Millisecond)
	return c.now
}

func (*tickingClock) AfterFunc(time.Duration, func()) (stop func()) { return func() {} }

// Whichever wins, no record says that an approval was decided at or after its
// deadline.
func TestNoDecisionIsRecordedAtOrAfterTheDeadline(t *testing.T) {
	for timeout := time.Millisecond; timeout < 10*time.Millisecond; timeout += time.Millisecond {
		r := start(t, newLog(), func(c *sequencer.Config) {
			c.Clock = &tickingClock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
		})
		session := r.session()
		opened := r.accepted(r.opening(session, timeout)).Records[0]
		reply := r.do(r.choose(session, opened.Approval, wire.ChoiceAllowOnce))
		expires := opened.At.Add(timeout)
		for _, rec := range reply.Records {
			if !rec.At.Before(expires) {
				t.Errorf("timeout %v: decided at %v, the deadline was %v", timeout, rec.At, expires)
			}
		}
	}
}

// The heap agrees with a list: at every instant exactly those approvals are
// settled whose deadline has come.
func TestDeadlinesAgreeWithANaiveList(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(rapid.IntRange(0, 9), 1, 60).Draw(rt, "steps")
		spans := rapid.SliceOfN(rapid.IntRange(1, 20), len(steps), len(steps)).Draw(rt, "spans")
		synctest.Test(t, func(t *testing.T) {
			r := start(t, newLog())
			session := r.session()
			due := map[approval.ID]time.Time{} // of what should be pending
			var order []approval.ID
			for i, step := range steps {
				span := time.Duration(spans[i]) * time.Second
				switch {
				case step < 5:
					id := r.accepted(r.opening(session, span)).Records[0].Approval
					due[id], order = time.Now().Add(span), append(order, id)
				case step < 8:
					time.Sleep(span)
					synctest.Wait()
				case len(order) > 0:
					id := order[spans[i]%len(order)]
					if _, waits := due[id]; waits == (code(r.do(r.choose(session, id, wire.ChoiceAllowOnce))) != 0) {
						t.Errorf("step %d: the decision and the list disagree", i)
					}
					delete(due, id)
				}
				for id, at := range due {
					if !at.After(time.Now()) {
						delete(due, id)
					}
				}
				for _, id := range order {
					if _, waits := due[id]; waits != r.pending(session, id) {
						t.Errorf("step %d: approval %s: pending is %t", i, id, !waits)
					}
				}
			}
		})
	})
}
