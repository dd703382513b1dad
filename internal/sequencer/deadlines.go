package sequencer

import (
	"container/heap"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
)

// deadline is the instant at which an approval or a prompt times out.
type deadline struct {
	at     time.Time // monotonic where the clock is
	id     approval.ID
	expire decide.Command
	index  int // in the heap
}

// deadlines is a heap of deadlines, the earliest first, with at most one an
// approval or prompt. Run owns it.
type deadlines struct {
	heap  deadlineHeap
	byID  map[approval.ID]*deadline
	armed time.Time // what the alarm is set for; zero: it is not
	stop  func()
}

func newDeadlines() deadlines { return deadlines{byID: make(map[approval.ID]*deadline)} }

func (d *deadlines) add(x deadline) {
	heap.Push(&d.heap, &x)
	d.byID[x.id] = &x
}

func (d *deadlines) remove(id approval.ID) {
	if x, ok := d.byID[id]; ok {
		heap.Remove(&d.heap, x.index)
		delete(d.byID, id)
	}
}

// popDue removes and returns the deadlines at or before now, in order.
func (d *deadlines) popDue(now time.Time) []*deadline {
	var due []*deadline
	for len(d.heap) > 0 && !d.heap[0].at.After(now) {
		x := heap.Pop(&d.heap).(*deadline) //nolint:errcheck // the heap holds nothing else
		delete(d.byID, x.id)
		due = append(due, x)
	}
	return due
}

// arm has f called at the earliest deadline. An alarm that is set for that
// instant already stays as it is.
func (d *deadlines) arm(now time.Time, clock Clock, f func()) {
	var next time.Time
	if len(d.heap) > 0 {
		next = d.heap[0].at
	}
	if next.Equal(d.armed) {
		return
	}
	if d.stop != nil {
		d.stop()
		d.stop = nil
	}
	d.armed = next
	if !next.IsZero() {
		d.stop = clock.AfterFunc(next.Sub(now), f)
	}
}

type deadlineHeap []*deadline

func (h deadlineHeap) Len() int           { return len(h) }
func (h deadlineHeap) Less(i, j int) bool { return h[i].at.Before(h[j].at) }

func (h deadlineHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *deadlineHeap) Push(x any) {
	d := x.(*deadline) //nolint:errcheck // the heap holds nothing else
	d.index = len(*h)
	*h = append(*h, d)
}

func (h *deadlineHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return x
}
