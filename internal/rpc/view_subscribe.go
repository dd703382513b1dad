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
	var head, after fold.Cursor
	var join uint64
	e := r.inSession(p.SessionID, func(state *fold.State, session *fold.Session) (e *wire.Error) {
		id, head, join = session.ID, session.Head, state.Head()
		after = endOf(join)
		if p.After != "" {
			after, e = anchor(r.conn.srv, session, p.After)
		}
		return e
	})
	if e != nil {
		r.fail(e)
		return
	}
	r.reply(wire.ViewSubscribeResult{ViewCursor: head.Text(id)})
	r.conn.srv.watch(r.conn, id, join, func(seen, until uint64) []task {
		return []task{
			&replay{session: id, after: min(after, endOf(seen)), until: until},
			&reissue{session: id, until: until},
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
