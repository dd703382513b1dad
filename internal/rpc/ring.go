package rpc

import (
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
	record record.Record
	once   sync.Once
	shown  []shown
	err    error
}

// shown is one view event, rendered.
type shown struct {
	cursor  fold.Cursor
	session approval.ID
	method  string
	frame   []byte // the notification with its newline
	params  []byte // its params, which approval/request shares
	asks    approval.RequirementID
	about   approval.ID // the approval of the record; zero for none
}

// add appends a group. What falls out at the other end is in the log.
func (r *ring) add(records []record.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, rec := range records {
		if len(r.entries) == 0 {
			r.first = rec.Seq
		}
		r.entries = append(r.entries, &published{record: rec})
		r.bytes += weight(rec)
	}
	drop := 0
	for n := len(r.entries); drop < n-1 && (n-drop > r.mostRecords || r.bytes > r.mostBytes); drop++ {
		r.bytes -= weight(r.entries[drop].record)
		r.entries[drop] = nil
	}
	r.entries = r.entries[drop:]
	r.first += uint64(drop)
}

// at is the entry of a record; nil for one that is behind the ring.
func (r *ring) at(seq uint64) *published {
	r.mu.Lock()
	defer r.mu.Unlock()
	if seq < r.first || seq >= r.first+uint64(len(r.entries)) {
		return nil
	}
	return r.entries[seq-r.first]
}

// events renders the record's events, once.
func (r *ring) events(p *published) ([]shown, error) {
	p.once.Do(func() { p.shown, p.err = r.render(p.record) })
	return p.shown, p.err
}

// weight is about how much memory an entry holds, rendered or not.
func weight(r record.Record) int {
	const small = 512
	if body, ok := r.Body.(*record.ApprovalOpened); ok {
		return small + 3*(len(body.RawArgs)+len(body.Subject)+len(body.Operation)) + len(body.Diff)
	}
	return small
}

// renderEvents makes the frames of a record's events.
func (s *Server) renderEvents(r record.Record) ([]shown, error) {
	events, err := s.seq.Events(r)
	if err != nil {
		return nil, err
	}
	out := make([]shown, 0, len(events))
	for _, e := range events {
		params, err := wire.Marshal(e.Params)
		if err != nil {
			return nil, err
		}
		out = append(out, shown{
			cursor: e.Cursor, session: e.Session, method: e.Method, params: params, asks: e.Asks, about: r.Approval,
			frame: notificationFrame(e.Method, params, e.At.UnixMilli()),
		})
	}
	return out, nil
}
