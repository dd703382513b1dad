package rpc

import (
	"errors"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/record"
)

// errEnough ends a scan of the log when a chunk is full.
var errEnough = errors.New("enough for now")

// records renders live records from the position on, from the ring or, behind
// it, from the log, and moves the position.
func (p *pump) records() (frames []byte, more bool, err error) {
	from, head := p.position()
	if from == 0 || from > head {
		return nil, false, nil // a subscription may begin ahead of what is published
	}
	frames = newChunk()
	defer func() {
		if len(frames) == 0 {
			freeChunk(frames)
			frames = nil
		}
	}()
	seq := from
	for ; seq <= head && len(frames) < renderChunk; seq++ {
		entry := p.c.srv.ring.at(seq)
		if entry == nil {
			return p.behind(frames, seq, head)
		}
		wanted, further := p.consider(entry.lineage, seq)
		if !further {
			p.moveTo(seq)
			return frames, true, nil
		}
		if !wanted {
			continue
		}
		events, err := p.c.srv.ring.events(entry)
		if err != nil {
			return nil, false, err
		}
		frames = p.show(frames, events)
	}
	p.moveTo(seq)
	return frames, len(frames) > 0, nil
}

// position is where the records go on, and what was published. What lies before
// it was published and none of it is wanted, which is said in the same moment: for
// a subscription that is made from then on it is the tasks' matter.
func (p *pump) position() (from, head uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	head = p.c.srv.head.Load()
	if p.next != 0 && p.next <= head {
		p.done = max(p.done, p.next-1)
	}
	return p.next, head
}

// behind goes on from the log up to a chunk, and to what was published: the
// log may be ahead of that, and the answers to what it holds not out yet.
func (p *pump) behind(frames []byte, from, head uint64) ([]byte, bool, error) {
	next := from
	further := true
	lineages := make(map[approval.ID][]approval.ID)
	err := p.c.srv.seq.ScanRange(from, head, func(seq uint64, h record.Header) (wanted bool) {
		lineage, known := lineages[h.Session]
		if !known {
			lineage = p.c.srv.lineage(h.Session)
			lineages[h.Session] = lineage
		}
		if wanted, further = p.consider(lineage, seq); !further {
			return true // to end the scan
		}
		next = seq + 1
		return wanted
	}, func(r record.Record) error {
		if !further {
			return errEnough
		}
		events, err := p.c.srv.renderEvents(r)
		if err != nil {
			return err
		}
		frames = p.show(frames, events)
		if len(frames) >= renderChunk {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, false, err
	}
	p.moveTo(next)
	return frames, true, nil
}

// moveTo makes next the position: everything below was published and has been
// considered.
func (p *pump) moveTo(next uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = max(p.done, next-1)
	if p.c.srv.head.Load() < next {
		next = 0 // notify brings the pump back
	}
	p.next = next
}

// consider takes the next live record: whether it is wanted, and whether to go
// on at all. A subscription that was made meanwhile comes first: its tasks may
// hold older events than this record's.
func (p *pump) consider(lineage []approval.ID, seq uint64) (wanted, further bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.tasks) > 0 {
		return false, false
	}
	p.done = max(p.done, seq)
	from, covered := p.live.of(lineage)
	return covered && seq > from, true
}

// show appends the frames of events: each notification that is not opted out
// of, and behind one that asks the request itself.
func (p *pump) show(frames []byte, events []shown) []byte {
	for _, e := range events {
		if !p.seat.optedOut(e.method) {
			frames = append(frames, p.seat.told(e).frame...)
		}
		if !e.asks.Approval.IsZero() && p.c.interactive() {
			frames = p.ask(frames, e)
		}
		p.settle(e)
	}
	return frames
}
