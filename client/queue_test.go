package client

import (
	"testing"
	"testing/synctest"
	"time"
)

// push in the background; the channel closes when it has been let through.
func pushed(q *queue, size int) <-chan struct{} {
	through := make(chan struct{})
	go func() {
		q.push(task{run: func() {}, size: size})
		close(through)
	}()
	return through
}

func isThrough(c <-chan struct{}) bool {
	synctest.Wait()
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestAFullQueueHoldsTheReader(t *testing.T) {
	releases := []struct {
		name string
		do   func(*queue)
	}{
		{"until a handler has made room", func(q *queue) { go q.run() }},
		{"until a call is in flight, whose answer may be behind it", (*queue).callStarted},
		{"until the connection is of no use any more", func(q *queue) { q.close(false) }},
	}
	for _, r := range releases {
		t.Run(r.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQueue()
				defer q.close(true)
				if !isThrough(pushed(q, queueLimit+1)) {
					t.Fatal("one frame over the limit must go alone")
				}
				next := pushed(q, 1)
				if isThrough(next) {
					t.Fatal("a full queue took more")
				}
				r.do(q)
				if !isThrough(next) {
					t.Error("the reader is still held")
				}
			})
		})
	}
}

func TestAQueueHoldsAgainWhenTheCallHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		q.callStarted()
		q.push(task{size: queueLimit + 1})
		q.push(task{size: 1})
		q.callEnded()
		next := pushed(q, 1)
		if isThrough(next) {
			t.Error("a full queue took more")
		}
		q.close(true)
	})
}

func TestClosingAQueueRunsOrDropsWhatWaits(t *testing.T) {
	for _, drop := range []bool{false, true} {
		q := newQueue()
		ran := 0
		for range 3 {
			q.push(task{run: func() { ran++ }})
		}
		q.close(drop)
		q.push(task{run: func() { t.Error("pushed after close") }})
		q.run()
		if want := map[bool]int{false: 3, true: 0}[drop]; ran != want {
			t.Errorf("drop %v: %d tasks ran, want %d", drop, ran, want)
		}
	}
}

// The handler that is to make room may itself wait for the next connection, whose
// reader must then not wait for the handler.
func TestACallThatWaitsForAConnectionLiftsTheBoundToo(t *testing.T) {
	bubble(t, []string{hello + "close"}, func(t *testing.T, dial Dialer) {
		var c *Client
		ready := make(chan struct{})
		c = connect(t, dial, Options{
			Reconnect: true,
			Backoff:   func(int) time.Duration { return time.Hour },
			OnNotification: func(Event) {
				<-ready
				if _, err := c.ReadSession(t.Context(), "s1"); err == nil {
					t.Error("a call was answered without a connection")
				}
			},
		})
		close(ready)
		synctest.Wait() // the connection is gone
		c.queue.push(task{run: func() { c.opts.OnNotification(Event{}) }})
		c.queue.push(task{run: func() {}, size: queueLimit + 1})
		if !isThrough(pushed(c.queue, 1)) {
			t.Error("the reader waits for a handler that waits for the reader")
		}
	})
}
