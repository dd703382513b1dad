package notify

import (
	"context"
	"slices"
	"sync"
)

// maxQueue is how many notices wait for a medium: somebody who is told of more at
// once looks into the inbox anyway.
const maxQueue = 256

// queue is what waits for one medium. Adding to it never waits.
type queue struct {
	wake chan struct{} // one token

	mu      sync.Mutex
	notices []Notice
	told    map[string]bool // what the medium was handed and is not settled, by id
	lost    int             // since the last that was taken
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1), told: make(map[string]bool)} }

// add queues a notice. Where too many wait the oldest is lost. Of what is settled the
// medium hears only if it was handed it before.
func (q *queue) add(n Notice) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if n.Event == Settled && !q.told[n.ID] {
		q.notices = slices.DeleteFunc(q.notices, func(o Notice) bool { return o.ID == n.ID })
		return
	}
	if q.notices = append(q.notices, n); len(q.notices) > maxQueue {
		delete(q.told, q.notices[0].ID)
		q.notices = slices.Delete(q.notices, 0, 1)
		q.lost++
	}
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// next waits for the next notice, and says how many were lost before it. Its error
// is ctx's.
func (q *queue) next(ctx context.Context) (n Notice, lost int, err error) {
	for {
		if n, lost, ok := q.take(); ok {
			return n, lost, nil
		}
		select {
		case <-q.wake:
		case <-ctx.Done():
			return Notice{}, 0, ctx.Err()
		}
	}
}

func (q *queue) take() (n Notice, lost int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.notices) == 0 {
		return Notice{}, 0, false
	}
	n, lost = q.notices[0], q.lost
	q.notices, q.lost = slices.Delete(q.notices, 0, 1), 0
	if n.Event == Requested {
		q.told[n.ID] = true
	} else {
		delete(q.told, n.ID)
	}
	return n, lost, true
}
