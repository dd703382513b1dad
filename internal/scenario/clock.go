package scenario

import (
	"slices"
	"sync"
	"time"
)

// clock is a sequencer.Clock that stands still until it is moved. It is safe for concurrent use.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	timers []*timer // in the order in which they were set
}

type timer struct {
	at time.Time
	f  func()
}

// Now implements sequencer.Clock.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// AfterFunc implements sequencer.Clock. What is due at once waits for the next move too, so that
// nothing happens between two steps of a scenario.
func (c *clock) AfterFunc(d time.Duration, f func()) (stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &timer{at: c.now.Add(d), f: f}
	c.timers = append(c.timers, t)
	return func() { c.withdraw(t) }
}

func (c *clock) withdraw(t *timer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timers = slices.DeleteFunc(c.timers, func(other *timer) bool { return other == t })
}

// step moves to the earliest timer that is due by until, and returns what it calls; or to until
// itself, and returns nil. Of timers for one instant the first that was set comes first.
func (c *clock) step(until time.Time) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := -1
	for i, t := range c.timers {
		if !t.at.After(until) && (next < 0 || t.at.Before(c.timers[next].at)) {
			next = i
		}
	}
	if next < 0 {
		c.now = until
		return nil
	}
	due := c.timers[next]
	c.timers = slices.Delete(c.timers, next, next+1)
	if due.at.After(c.now) {
		c.now = due.at
	}
	return due.f
}

// forget drops every timer: the daemon that set them is gone.
func (c *clock) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timers = nil
}
