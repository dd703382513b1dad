package rpc

import (
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// sessionRead serves session/read (protocol §4): no load, no subscription.
func (r *request) sessionRead() {
	var p wire.SessionReadParams
	if e := r.decode(&p); e != nil {
		r.fail(e)
		return
	}
	var result wire.SessionReadResult
	e := r.inSession(p.SessionID, func(state *fold.State, session *fold.Session) *wire.Error {
		pointers, truncated := pendingPointers(state, session)
		result = wire.SessionReadResult{
			Session:          session.Object(r.conn.srv.cfg.Profile),
			ViewCursor:       session.Head.Text(session.ID),
			History:          wire.History{Mode: wire.HistoryNone, NoneReason: wire.NoneExcluded},
			PendingRequests:  pointers,
			PendingTruncated: truncated,
		}
		return nil
	})
	if e != nil {
		r.fail(e)
		return
	}
	r.reply(result)
}
