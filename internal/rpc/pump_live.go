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
	p.mu.Lock()
	from := p.next
	p.mu.Unlock()
	head := p.c.srv.head.Load()
	if from == 0 || from > head {
		return nil, false, nil // a subscription may begin ahead of what is published
	}
	seq := from
	for ; seq <= head && len(frames) < renderChunk; seq++ {
		entry := p.c.srv.ring.at(seq)
		if entry == nil {
			return p.behind(frames, seq, head)
		}
		if !p.wants(entry.record.Session, seq) {
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

// behind goes on from the log up to a chunk, and to what was published: the
// log may be ahead of that, and the answers to what it holds not out yet.
func (p *pump) behind(frames []byte, from, head uint64) ([]byte, bool, error) {
	next := from
	err := p.c.srv.seq.ScanRange(from, head, func(seq uint64, h record.Header) bool {
		next = seq + 1
		return p.wants(h.Session, seq)
	}, func(r record.Record) error {
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

// wants considers a record: whether it is of a live subscription.
func (p *pump) wants(session approval.ID, seq uint64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = max(p.done, seq)
	from, ok := p.covered(session)
	return ok && seq > from
}

// show appends the frames of events: each notification that is not opted out
// of, and behind approval/requested the request itself.
func (p *pump) show(frames []byte, events []shown) []byte {
	for _, e := range events {
		if !p.seat.optedOut(e.method) {
			frames = append(frames, e.frame...)
		}
		if !e.asks.Approval.IsZero() && p.c.interactive() {
			frames = p.ask(frames, e)
		}
		p.settle(e)
	}
	return frames
}
