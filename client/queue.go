package client

import "sync"

// queueLimit is how many bytes of notifications and requests may wait for the
// handlers before the client stops reading. The daemon holds the rest: it sends
// at the peer's pace (protocol §5).
const queueLimit = 8 << 20

// queue feeds the dispatcher. The bound does not hold while a call is in
// flight, because its answer may be behind what is waiting, and the handler that
// is to make room may be the one that made the call.
type queue struct {
	mu      sync.Mutex
	changed sync.Cond
	tasks   []task
	bytes   int
	calls   int
	closed  bool // nothing is pushed any more
}

// task is one call of a handler; size is that of the frame it came in.
type task struct {
	run  func()
	size int
}

func newQueue() *queue {
	q := new(queue)
	q.changed.L = &q.mu
	return q
}

// push appends t, after waiting for room. It drops t when the queue is closed.
func (q *queue) push(t task) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.bytes > queueLimit && q.calls == 0 && !q.closed {
		q.changed.Wait()
	}
	if q.closed {
		return
	}
	q.tasks = append(q.tasks, t)
	q.bytes += t.size
	q.changed.Broadcast()
}

// run executes tasks in order until the queue is closed and empty.
func (q *queue) run() {
	for {
		q.mu.Lock()
		for len(q.tasks) == 0 && !q.closed {
			q.changed.Wait()
		}
		if len(q.tasks) == 0 {
			q.mu.Unlock()
			return
		}
		t := q.tasks[0]
		q.tasks[0] = task{}
		q.tasks = q.tasks[1:]
		q.bytes -= t.size
		q.changed.Broadcast()
		q.mu.Unlock()
		t.run()
	}
}

// callStarted lifts the bound until callEnded.
func (q *queue) callStarted() {
	q.mu.Lock()
	q.calls++
	q.changed.Broadcast()
	q.mu.Unlock()
}

func (q *queue) callEnded() {
	q.mu.Lock()
	q.calls--
	q.mu.Unlock()
}

// close ends every push, and run after the tasks that wait; drop discards those.
func (q *queue) close(drop bool) {
	q.mu.Lock()
	q.closed = true
	if drop {
		q.tasks = nil
	}
	q.changed.Broadcast()
	q.mu.Unlock()
}
