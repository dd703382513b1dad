package rpc

import (
	"slices"
	"sync"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// The bounds of the ring. Whoever is further behind reads from the log.
const (
	ringRecords = 16 << 10
	ringBytes   = 64 << 20
)

// ring holds the recent records of the log in order, so that their events are
// rendered once, by the first connection that wants them, however many do.
type ring struct {
	mu    sync.Mutex
	first uint64 // sequence of entries[0]
	// entries are consecutive; the bodies they hold weigh bytes in all.
	entries []*published
	bytes   int
	render  func(record.Record) ([]shown, error)

	mostRecords, mostBytes int
}

// published is one record on its way to subscribers.
type published struct {
	record  record.Record
	lineage []approval.ID // of its session
	once    sync.Once
	shown   []shown
	err     error
	weight  int // guarded by ring.mu
}

// shown is one view event, rendered.
type shown struct {
	cursor  fold.Cursor
	lineage []approval.ID // of its session
	method  string
	frame   []byte // the notification with its newline
	params  []byte // within frame: its params, which the request shares
	at      int64  // its emittedAtMs
	by      []byte // who decided, a wire.Decider, which frame does not tell; nil for nobody
	asks    approval.RequirementID
	about   approval.ID // the approval or prompt of the record; zero for none
}

// add appends a group, with the lineage of each record's session. What falls
// out at the other end is in the log.
func (r *ring) add(records []record.Record, lineages [][]approval.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, rec := range records {
		if len(r.entries) == 0 {
			r.first = rec.Seq
		}
		entry := &published{record: rec, lineage: lineages[i], weight: weight(rec)}
		r.entries = append(r.entries, entry)
		r.bytes += entry.weight
	}
	r.trim()
}

// trim lets the oldest entries go until the bounds hold. The newest stays.
func (r *ring) trim() {
	drop := 0
	for n := len(r.entries); drop < n-1 && (n-drop > r.mostRecords || r.bytes > r.mostBytes); drop++ {
		r.bytes -= r.entries[drop].weight
		r.entries[drop] = nil
	}
	r.entries = r.entries[drop:]
	r.first += uint64(drop)
}

// at is the entry of a record; nil for one that is behind the ring.
func (r *ring) at(seq uint64) *published {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.entry(seq)
}

// recent is a record that is in the ring.
func (r *ring) recent(seq uint64) (rec record.Record, ok bool) {
	if entry := r.at(seq); entry != nil {
		return entry.record, true
	}
	return record.Record{}, false
}

func (r *ring) entry(seq uint64) *published {
	if seq < r.first || seq >= r.first+uint64(len(r.entries)) {
		return nil
	}
	return r.entries[seq-r.first]
}

// events renders the record's events, once, and makes room for them.
func (r *ring) events(p *published) ([]shown, error) {
	p.once.Do(func() {
		p.shown, p.err = r.render(p.record)
		r.charge(p)
	})
	return p.shown, p.err
}

// charge counts in what an entry has come to weigh: a stage of a large request
// is a small record and a large event.
func (r *ring) charge(p *published) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.entry(p.record.Seq) != p {
		return // it has fallen out meanwhile
	}
	for _, e := range p.shown {
		p.weight += len(e.frame)
		r.bytes += len(e.frame)
	}
	r.trim()
}

// weight is about how much memory a record holds.
func weight(r record.Record) int {
	const small = 512
	switch body := r.Body.(type) {
	case *record.ApprovalOpened:
		return body.Weight()
	case *record.InputOpened:
		return small + len(body.Questions)
	case *record.InputSettled:
		return small + len(body.Answers)
	}
	return small
}

// record reads a record from the ring or, behind it, from the log.
func (s *Server) record(seq uint64) (record.Record, error) {
	if r, ok := s.ring.recent(seq); ok {
		return r, nil
	}
	return s.seq.Record(seq)
}

// renderEvents makes the frames of a record's events.
func (s *Server) renderEvents(r record.Record) ([]shown, error) {
	events, err := s.seq.Events(r, s.record)
	if err != nil {
		return nil, err
	}
	lineage := s.lineage(r.Session)
	by, err := deciderOf(r)
	if err != nil {
		return nil, err
	}
	out := make([]shown, 0, len(events))
	for _, e := range events {
		params, err := wire.Marshal(e.Params)
		if err != nil {
			return nil, err
		}
		at := e.At.UnixMilli()
		frame, within := notificationFrame(e.Method, params, at)
		one := shown{
			cursor: e.Cursor, lineage: lineage, method: e.Method, asks: e.Asks, about: r.Approval,
			frame: frame, params: within, at: at,
		}
		if slices.Contains(protected, e.Method) { // those that end something
			one.by = by
		}
		out = append(out, one)
	}
	return out, nil
}
