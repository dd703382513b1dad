package rpc

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// sessionRead serves session/read (protocol §4): no load, no subscription. What
// waits in it is another matter: nobody hears of that before a restart has done
// what it owes (protocol §8).
func (r *request) sessionRead() {
	var p wire.SessionReadParams
	if e := r.decode(&p); e != nil {
		r.fail(e)
		return
	}
	id, e := r.existing(p.SessionID)
	if e != nil {
		r.fail(e)
		return
	}
	result, last := r.conn.srv.outline(id)
	if last == 0 {
		e = r.conn.srv.inSession(id, func(state *fold.State, session *fold.Session) {
			result.Session, result.ViewCursor = session.Object(r.conn.srv.cfg.Profile), session.Head().Text(id)
			result.PendingRequests, result.PendingTruncated = pendingPointers(pendingWithin(state, session))
		})
	} else {
		var head fold.Cursor
		if head, e = r.headAt(last); e == nil {
			result.ViewCursor = head.Text(id)
		}
	}
	if e != nil {
		r.fail(e)
		return
	}
	result.History = wire.NoItems()
	if p.ExcludeItems == nil || *p.ExcludeItems {
		result.History = wire.History{Mode: wire.HistoryNone, NoneReason: wire.NoneExcluded}
	}
	r.reply(result)
}

// outline is what can be said of a session without loading it, and its last
// record; 0 where something is pending in it or below it.
func (s *Server) outline(id approval.ID) (result wire.SessionReadResult, last uint64) {
	s.seq.View(func(state *fold.State) {
		if session, ok := state.Session(id); ok && !session.Waits() {
			result.Session, last = session.Object(s.cfg.Profile), session.Last
		}
	})
	return result, last
}

// headAt is the head of a session whose last record is at seq.
func (r *request) headAt(seq uint64) (fold.Cursor, *wire.Error) {
	last, err := r.conn.srv.seq.Record(seq)
	if err != nil {
		return 0, r.hidden(err)
	}
	return fold.HeadAt(last), nil
}
