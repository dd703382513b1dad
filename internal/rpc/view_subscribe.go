package rpc

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// viewSubscribe serves view/subscribe (protocol §5): the head, then what is
// behind the cursor without a gap, then, for an interactive reviewer, the
// pending requests, then what happens.
func (r *request) viewSubscribe() {
	var p wire.ViewSubscribeParams
	if e := r.decode(&p); e != nil {
		r.fail(e)
		return
	}
	var id approval.ID
	var head fold.Cursor
	var join uint64
	var from *place
	e := r.inSession(p.SessionID, func(state *fold.State, session *fold.Session) *wire.Error {
		id, head, join = session.ID, session.Head(), state.Head()
		if p.After != "" {
			at := placeIn(session, p.After)
			from = &at
		}
		return nil
	})
	if e == nil && from != nil {
		e = r.conn.srv.issued(*from)
	}
	if e != nil {
		r.fail(e)
		return
	}
	r.reply(wire.ViewSubscribeResult{ViewCursor: head.Text(id)})
	r.conn.srv.watch(r.conn, id, join, func(met joining) []task {
		return []task{
			&replay{session: id, met: met, after: from.position(), again: true, until: met.until},
			&reissue{session: id, until: met.until},
		}
	})
}

// viewUnsubscribe serves view/unsubscribe; ending what is not there is fine.
func (r *request) viewUnsubscribe() {
	var p wire.ViewUnsubscribeParams
	if e := r.decode(&p); e != nil {
		r.fail(e)
		return
	}
	id, e := r.existing(p.SessionID)
	if e != nil {
		r.fail(e)
		return
	}
	r.conn.srv.unwatch(r.conn, id)
	r.answer(empty)
}
