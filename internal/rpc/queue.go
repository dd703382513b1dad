package rpc

import "sync"

// queue holds the requests of a connection that wait for the dispatcher.
type queue struct {
	mu     sync.Mutex
	filled *sync.Cond
	items  []queued
	bytes  int
	busy   bool // the dispatcher is at work on one
	ended  bool // nothing more comes
}

type queued struct {
	message
	size int
}

func newQueue() *queue {
	q := &queue{}
	q.filled = sync.NewCond(&q.mu)
	return q
}

// push adds a request; false when there is no room for it.
func (q *queue) push(m message, size int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended || len(q.items) >= queueFrames || q.bytes+size > queueBytes && len(q.items) > 0 {
		return false
	}
	q.items = append(q.items, queued{m, size})
	q.bytes += size
	q.filled.Signal()
	return true
}

// over reports whether nothing is taken any more, whatever room there is.
func (q *queue) over() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.ended
}

// pop waits for the next request; false when there will be none.
func (q *queue) pop() (message, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 && !q.ended {
		q.filled.Wait()
	}
	if len(q.items) == 0 {
		return message{}, false
	}
	first := q.items[0]
	q.items[0] = queued{}
	q.items = q.items[1:]
	q.bytes -= first.size
	q.busy = true
	return first.message, true
}

// done says that the request that pop gave has been handled.
func (q *queue) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.busy = false
}

// close ends the queue; what is in it is still given out.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	q.filled.Broadcast()
}

func (q *queue) closed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.ended
}

func (q *queue) idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items) == 0 && !q.busy
}
