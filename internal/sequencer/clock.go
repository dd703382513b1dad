package sequencer

import "time"

// Clock is where time comes from. Scenarios bring one that stands still.
type Clock interface {
	// Now is the present, with a monotonic reading where there is one.
	Now() time.Time
	// AfterFunc calls f once, on any goroutine, when d has passed; f must not
	// block. The function it returns withdraws the call; f may still run if it
	// is about to.
	AfterFunc(d time.Duration, f func()) (stop func())
}

// SystemClock is the clock of the machine.
type SystemClock struct{}

// Now implements Clock.
func (SystemClock) Now() time.Time { return time.Now() }

// AfterFunc implements Clock.
func (SystemClock) AfterFunc(d time.Duration, f func()) (stop func()) {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}
