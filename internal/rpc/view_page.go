package rpc

import (
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

const (
	maxEvents = 1000
	maxPage   = 4 << 20 // bytes of events or rows in one answer
)

// viewPage serves view/page (protocol §5): durable events of a session,
// ascending in both directions, with exclusive cursors.
func (r *request) viewPage() {
	var p wire.ViewPageParams
	if e := r.decode(&p); e != nil {
		r.fail(e)
		return
	}
	page, e := r.pageOf(p)
	if e != nil {
		r.fail(e)
		return
	}
	result, err := r.conn.srv.readPage(page)
	if err != nil {
		r.internal(err)
		return
	}
	r.reply(result)
}

// page is what to read: from a cursor on, exclusive, towards an end.
type page struct {
	session  approval.ID
	from     fold.Cursor
	backward bool
	limit    int
	// sequences are the records that may hold what is asked for, in the order
	// of reading.
	sequences []uint64
}

func (r *request) pageOf(p wire.ViewPageParams) (out page, e *wire.Error) {
	switch {
	case p.Limit < 1 || p.Limit > maxEvents:
		return out, invalid("limit must be 1 to %d, not %d", maxEvents, p.Limit)
	case p.Cursor != "" && p.Anchor != "":
		return out, invalid("cursor and anchor exclude each other")
	case p.Anchor != "":
		return out, invalid("anchor: this version has none; use a cursor, or neither")
	}
	switch p.Direction {
	case "", wire.DirectionForward:
	case wire.DirectionBackward:
		out.backward = true
	default:
		return out, invalid("direction must be forward or backward")
	}
	out.limit = p.Limit
	e = r.inSession(p.SessionID, func(_ *fold.State, session *fold.Session) (e *wire.Error) {
		out.session = session.ID
		switch {
		case p.Cursor != "":
			if out.from, e = anchor(r.conn.srv, session, p.Cursor); e != nil {
				return e
			}
		case out.backward:
			out.from = session.Head + 1
		}
		out.collect(session)
		return nil
	})
	return out, e
}

// collect lists candidate records: no more than there are events asked for,
// and one for the record that the cursor is within. Records without events
// make a page short, which is no sign of its end.
func (p *page) collect(session *fold.Session) {
	records := session.Records(p.from.Seq())
	if p.backward {
		records = session.RecordsBefore(p.from.Seq() + 1)
	}
	for seq := range records {
		if len(p.sequences) > p.limit {
			return
		}
		p.sequences = append(p.sequences, seq)
	}
}

// beyond reports whether an event is on the far side of the cursor.
func (p *page) beyond(c fold.Cursor) bool {
	if p.backward {
		return c < p.from
	}
	return c > p.from
}

func (s *Server) readPage(p page) (wire.ViewPageResult, error) {
	var events []shown
	size, full := 0, false
	for _, seq := range p.sequences {
		r, err := s.seq.Record(seq)
		if err != nil {
			return wire.ViewPageResult{}, err
		}
		of, err := s.pageEvents(r, p)
		if err != nil {
			return wire.ViewPageResult{}, err
		}
		for _, e := range of {
			size += len(e.params)
			if full = len(events) == p.limit || size > maxPage && len(events) > 0; full {
				break
			}
			events = append(events, e)
		}
		if full {
			break
		}
	}
	return p.result(events, full || len(p.sequences) > p.limit), nil
}

// pageEvents are a record's events beyond the cursor, in the order of reading.
func (s *Server) pageEvents(r record.Record, p page) ([]shown, error) {
	all, err := s.renderEvents(r)
	if err != nil {
		return nil, err
	}
	out := all[:0]
	for _, e := range all {
		if p.beyond(e.cursor) {
			out = append(out, e)
		}
	}
	if p.backward {
		slices.Reverse(out)
	}
	return out, nil
}

func (p *page) result(events []shown, more bool) wire.ViewPageResult {
	var result wire.ViewPageResult
	if more && len(events) > 0 {
		next := events[len(events)-1].cursor.Text(p.session)
		result.NextCursor = &next
	}
	if p.backward {
		slices.Reverse(events)
	}
	for _, e := range events {
		result.Events = append(result.Events, wire.ViewEvent{Method: e.method, Params: e.params})
	}
	return result
}
