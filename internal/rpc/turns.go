package rpc

import "sync"

// turns has connections put together what they are subscribed to in turn, at most
// so many at once, in the order in which they asked: a crowd of them leaves
// processors to commands. Nobody waits for a peer while it has a turn.
type turns struct {
	mu      sync.Mutex
	free    int
	waiting []*outbox
}

// ask gives a turn at once, or later, by grant. It may be called with the lock of
// the outbox held.
func (t *turns) ask(o *outbox) (now bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.free > 0 {
		t.free--
		return true
	}
	t.waiting = append(t.waiting, o)
	return false
}

// done gives a turn on, to the first who still wants it.
func (t *turns) done() {
	for next := t.next(); next != nil && !next.grant(); next = t.next() {
	}
}

// next takes who waits first; nil for nobody, and the turn is free.
func (t *turns) next() *outbox {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) == 0 {
		t.free++
		return nil
	}
	next := t.waiting[0]
	t.waiting[0] = nil
	t.waiting = t.waiting[1:]
	return next
}
