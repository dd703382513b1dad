package scenario

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// move advances a clock and lists what it calls, each with the time that had passed.
func move(c *clock, began time.Time, d time.Duration, called *[]string) {
	until := c.Now().Add(d)
	for due := c.step(until); due != nil; due = c.step(until) {
		due()
		*called = append(*called, "at "+c.Now().Sub(began).String())
	}
}

func TestTheClockCallsWhatIsDueInOrderAndOnce(t *testing.T) {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c := &clock{now: began}
	var called []string
	set := func(name string, d time.Duration) (stop func()) {
		return c.AfterFunc(d, func() { called = append(called, name) })
	}
	set("third", 3*time.Second)
	set("first", time.Second)
	set("first too", time.Second)
	withdrawn := set("withdrawn", time.Second)
	c.AfterFunc(2*time.Second, func() {
		called = append(called, "second")
		set("set by the second", 500*time.Millisecond)
	})
	set("at once", 0)
	withdrawn()
	move(c, began, 3*time.Second, &called)
	want := []string{
		"at once", "at 0s", "first", "at 1s", "first too", "at 1s", "second", "at 2s",
		"set by the second", "at 2.5s", "third", "at 3s",
	}
	if diff := cmp.Diff(want, called); diff != "" {
		t.Error(diff)
	}
	called = nil
	set("forgotten", time.Second)
	c.forget()
	move(c, began, time.Hour, &called)
	if passed := c.Now().Sub(began); passed != time.Hour+3*time.Second || called != nil {
		t.Errorf("%s passed and %v was called", passed, called)
	}
}
