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
	reader   *handshake
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
	out.limit, out.reader = p.Limit, &r.conn.handshake
	var from *place
	e = r.inSession(p.SessionID, func(_ *fold.State, session *fold.Session) *wire.Error {
		out.session = session.ID
		switch {
		case p.Cursor != "":
			at := placeIn(session, p.Cursor)
			out.from, from = at.cursor, &at
		case out.backward:
			out.from = session.Head() + 1
		}
		return nil
	})
	if e == nil && from != nil {
		e = r.conn.srv.issued(*from)
	}
	return out, e
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
	size := 0
	for from := p.from.Seq(); ; {
		seq, e := s.pageRecord(p.session, from, p.backward)
		if e != nil {
			return wire.ViewPageResult{}, e
		}
		if seq == 0 {
			return p.result(events, false), nil
		}
		from = after(seq, p.backward)
		r, err := s.seq.Record(seq)
		if err != nil {
			return wire.ViewPageResult{}, err
		}
		of, err := s.pageEvents(r, p)
		if err != nil {
			return wire.ViewPageResult{}, err
		}
		for _, e := range of {
			e = p.reader.told(e)
			size += len(e.params)
			if len(events) == p.limit || size > maxPage && len(events) > 0 {
				return p.result(events, true), nil
			}
			events = append(events, e)
		}
	}
}

// pageRecord is the first record of a session at or beyond a sequence in the
// direction of reading; 0 for none.
func (s *Server) pageRecord(session approval.ID, from uint64, backward bool) (first uint64, e *wire.Error) {
	e = s.inSession(session, func(_ *fold.State, in *fold.Session) {
		records := in.Records(from)
		if backward {
			records = in.RecordsBefore(from + 1)
		}
		for first = range records {
			return
		}
	})
	return first, e
}

// after is the sequence beyond seq in the direction of reading. Sequences
// count from 1, so going back from the first reaches 0, which no record has.
func after(seq uint64, backward bool) uint64 {
	if backward {
		return seq - 1
	}
	return seq + 1
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
