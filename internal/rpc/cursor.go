package rpc

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// place is a cursor that a client gave, as far as the view can tell.
type place struct {
	session approval.ID
	text    string
	cursor  fold.Cursor
	known   bool // the session has the record that it names
}

// placeIn looks a cursor up in its session. It reads no log and may be called
// with the view; issued has the last word.
func placeIn(session *fold.Session, text string) place {
	p := place{session: session.ID, text: text}
	cursor, ok := fold.ParseCursor(session.ID, text)
	if !ok || cursor > session.Head() {
		return p
	}
	for seq := range session.Records(cursor.Seq()) {
		p.cursor, p.known = cursor, seq == cursor.Seq()
		break
	}
	return p
}

// issued refuses a cursor that was never issued, be it for an event or as a
// head (protocol §5).
func (s *Server) issued(p place) *wire.Error {
	if p.known {
		r, err := s.seq.Record(p.cursor.Seq())
		if err == nil && p.cursor.Index() <= max(0, fold.EventCount(r)-1) {
			return nil
		}
	}
	return wire.NewError(wire.CodeNotFound, "The cursor is not one of this session; start from the beginning of the view.",
		func(d *wire.ErrorData) {
			shown := clip(p.text)
			d.Reason, d.SessionID, d.Anchor = wire.ReasonMissingAnchor, p.session.String(), &shown
		})
}

// position is the cursor of a place; nil for none.
func (p *place) position() *fold.Cursor {
	if p == nil {
		return nil
	}
	return &p.cursor
}
