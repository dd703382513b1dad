package sequencer_test

import (
	"runtime"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/recovery"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// setClock is a clock of its own: time passes when a test says so, and its wall
// time is set by hand while its monotonic reading goes on.
type setClock struct {
	mu     sync.Mutex
	now    time.Time // as if the wall clock had not been set
	step   time.Duration
	timers map[*time.Time]func() // by when they are due
}

func newSetClock() *setClock {
	return &setClock{now: time.Now(), timers: map[*time.Time]func(){}} // a monotonic reading comes from nowhere else
}

func (c *setClock) set(step time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.step = step
}

// Now moves the seconds in a time and nothing else. Package time has no way to
// say that: what it adds it adds to both.
func (c *setClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now
	const secondsAt = 30                                                        // bits of nanoseconds below them
	*(*uint64)(unsafe.Pointer(&now)) += uint64(c.step/time.Second) << secondsAt // wraps where it goes back
	return now
}

func (c *setClock) AfterFunc(d time.Duration, f func()) (stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.now.Add(d)
	c.timers[&at] = f
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.timers, &at)
	}
}

// pass has time pass, and waits until the writer has done what falls due.
func (c *setClock) pass(r *rig, d time.Duration) {
	c.mu.Lock()
	c.now = c.now.Add(d)
	var due []func()
	for at, f := range c.timers {
		if !at.After(c.now) {
			due = append(due, f)
			delete(c.timers, at)
		}
	}
	c.mu.Unlock()
	for _, f := range due {
		f()
	}
	r.settle()
}

// settle waits until the writer has nothing to do.
func (r *rig) settle() {
	for !r.Idle() {
		runtime.Gosched()
	}
}

func TestASetClockMovesTheWallAlone(t *testing.T) {
	c := newSetClock()
	for _, step := range []time.Duration{24 * time.Hour, -24 * time.Hour} {
		before := c.Now()
		c.set(step)
		after := c.Now()
		c.set(0)
		if wall, gone := after.Round(0).Sub(before.Round(0)), after.Sub(before); wall != step || gone != 0 {
			t.Errorf("set by %v, the wall moved by %v and the monotonic reading by %v", step, wall, gone)
		}
	}
}

// Deadlines run on the monotonic clock, whatever is done to the wall clock
// (protocol §7 "Unattended"); what is written meanwhile can be read.
func TestAClockThatIsSetChangesNoDeadline(t *testing.T) {
	for name, step := range map[string]time.Duration{
		"forward by a day: nothing times out early": 24 * time.Hour,
		"back by a day: nothing waits longer":       -24 * time.Hour,
	} {
		t.Run(name, func(t *testing.T) {
			clock, l := newSetClock(), newLog()
			r := start(t, l, func(c *sequencer.Config) { c.Clock = clock })
			session := r.session()
			before := r.accepted(r.opening(session, time.Hour)).Records[0]
			clock.pass(r, 30*time.Minute)
			clock.set(step)
			after := r.accepted(r.opening(session, time.Hour)).Records[0]
			if got := after.At.Sub(before.At); got != 30*time.Minute+step {
				t.Errorf("a record from after is %v later than one from before", got)
			}
			clock.pass(r, 30*time.Minute-time.Millisecond)
			if !r.pending(session, before.Approval) {
				t.Error("it timed out before its time had passed")
			}
			clock.pass(r, time.Millisecond)
			if r.pending(session, before.Approval) || !r.pending(session, after.Approval) {
				t.Error("after an hour the first is pending, or the second is not")
			}
			if code(r.do(r.choose(session, before.Approval, wire.ChoiceAllowOnce))) != wire.CodeApprovalAlreadyResolved {
				t.Error("it can be decided after its time")
			}
			clock.pass(r, 30*time.Minute)
			if r.pending(session, after.Approval) {
				t.Error("the second is pending after its hour")
			}
			if _, err := recovery.Replay(l); err != nil {
				t.Errorf("the log cannot be read: %v", err)
			}
		})
	}
}

// stoppedClock is that of a process which may be stopped: it moves only when it
// is told to, and its timers have not been heard.
type stoppedClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *stoppedClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *stoppedClock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (*stoppedClock) AfterFunc(time.Duration, func()) (stop func()) { return func() {} }

// A process that was stopped for an hour finds, when it goes on, decisions that
// came meanwhile and deadlines that passed. The deadlines come first.
func TestAProcessThatWasStoppedForAnHour(t *testing.T) {
	clock := &stoppedClock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	r := start(t, newLog(), func(c *sequencer.Config) { c.Clock = clock })
	session := r.session()
	due := r.accepted(r.opening(session, 10*time.Minute)).Records[0]
	late := r.accepted(r.opening(session, time.Hour)).Records[0]
	open := r.accepted(r.opening(session, time.Hour+time.Millisecond)).Records[0]
	r.log.hold() // the process is stopped in the middle of a commit
	first := r.submit(r.opening(session, 0))
	<-r.log.entered
	decisions := map[approval.ID]answer{}
	for _, opened := range []record.Record{due, late, open} {
		decisions[opened.Approval] = r.submit(r.choose(session, opened.Approval, wire.ChoiceAllowOnce))
	}
	clock.pass(time.Hour)
	r.log.free()
	<-first
	for _, lost := range []record.Record{due, late} {
		reply := <-decisions[lost.Approval]
		if code(reply) != wire.CodeApprovalAlreadyResolved || reply.Refusal.Data.Resolution.Outcome != wire.Outcome(approval.TimedOut) {
			t.Errorf("a decision that came too late: %+v", reply)
		}
	}
	if reply := <-decisions[open.Approval]; code(reply) != 0 {
		t.Errorf("a decision in time: %+v", reply)
	}
	r.settle()
	settled := map[string]int{}
	for _, rec := range r.heard() {
		if body, ok := rec.Body.(*record.ApprovalSettled); ok {
			settled[body.Outcome]++
		}
	}
	if settled[string(approval.TimedOut)] != 2 || len(settled) != 2 {
		t.Errorf("outcomes: %v", settled)
	}
}

// What expired while no daemon was there times out at the restart, and has no
// successor. What the wall clock says then is what counts: nothing else is left of
// the time before.
func TestARestartAfterAnHour(t *testing.T) {
	for name, c := range map[string]struct {
		down    time.Duration // by the clock of the restart
		expired bool
	}{
		"what expired meanwhile times out":                     {time.Hour, true},
		"what expires at this instant times out":               {10 * time.Minute, true},
		"what has not expired is opened again":                 {10*time.Minute - time.Millisecond, false},
		"with the clock set back by a day it is opened again":  {-24 * time.Hour, false},
		"with the clock set forward by a day it has timed out": {24 * time.Hour, true},
	} {
		t.Run(name, func(t *testing.T) {
			clock, l := &stoppedClock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, newLog()
			r := start(t, l, func(c *sequencer.Config) { c.Clock = clock })
			session := r.session()
			opened := r.accepted(r.opening(session, 10*time.Minute)).Records[0]
			r.Drain()
			if err := <-r.ended; err != nil {
				t.Fatal(err)
			}
			clock.pass(c.down)
			again := start(t, l, func(cfg *sequencer.Config) { cfg.Clock = clock })
			outcome, successors := "", 0
			for _, rec := range again.accepted(decide.Recover{Session: session}).Records {
				switch body := rec.Body.(type) {
				case *record.ApprovalSettled:
					outcome = body.Outcome
				case *record.ApprovalOpened:
					successors++
				}
			}
			want, after := string(approval.Superseded), 1
			if c.expired {
				want, after = string(approval.TimedOut), 0
			}
			if outcome != want || successors != after {
				t.Errorf("approval %s is %s and has %d successors, want %s and %d", opened.Approval, outcome, successors, want, after)
			}
		})
	}
}
