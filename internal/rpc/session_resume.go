package rpc

import (
	"encoding/json"

	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// sessionResume serves session/resume (protocol §4): a command in form only,
// which subscribes and is never answered from the ledger. With a cursor the
// later events go out before the answer; every pending request follows it.
func (r *request) sessionResume() {
	var p wire.SessionResumeParams
	if e := r.decode(&p); e != nil {
		r.fail(e)
		return
	}
	if _, e := r.intent(p.CommandID); e != nil {
		r.fail(e)
		return
	}
	id, e := identity("sessionId", p.SessionID)
	if e != nil {
		r.fail(e)
		return
	}
	mode, e := historyServed(p)
	if e != nil {
		r.fail(e)
		return
	}
	var result wire.SessionResumeResult
	var pending []pendingRef
	var turn *wire.TurnRef
	var from *place
	var join uint64
	notThere := r.conn.srv.inSession(id, func(state *fold.State, session *fold.Session) {
		if !r.conn.mayResume(session) {
			e = decide.SessionNotFound(id)
			return
		}
		join = state.Head()
		result.Session, result.ViewCursor = session.Object(r.conn.srv.cfg.Profile), session.Head().Text(id)
		pending, turn = pendingWithin(state, session), openTurn(session)
		if p.Cursor != nil {
			at := placeIn(session, *p.Cursor)
			from = &at
		}
	})
	if notThere != nil {
		e = notThere
	}
	if e == nil && from != nil {
		e = r.conn.srv.issued(*from)
	}
	if e != nil {
		r.fail(e)
		return
	}
	result.Ack = wire.Accepted(p.CommandID)
	result.PendingRequests, result.PendingTruncated = pendingPointers(pending)
	result.History = history(p, mode, result, turn, pending)
	body, err := resumedBody(result, maxHistory)
	if err != nil {
		r.internal(err)
		return
	}
	if r.conn.handshake.role != wire.RoleReviewer {
		r.conn.srv.own(r.conn, id)
	}
	r.conn.srv.watch(r.conn, id, join, func(met joining) []task {
		answer := &respond{frame: r.frameOf(body)}
		tasks := []task{answer, &replay{session: id, met: met, until: met.until}}
		if from != nil {
			// The answer says where the view stands, so the replay before it
			// ends there; what has happened since comes after it.
			tasks = []task{
				&replay{session: id, met: met, after: &from.cursor, again: true, until: join}, answer,
				&replay{session: id, met: met, beyond: join, until: met.until},
			}
		}
		return append(tasks, &reissue{session: id, until: met.until})
	})
}

// resumedBody encodes an answer, without its snapshot where that makes it larger
// than most.
func resumedBody(result wire.SessionResumeResult, most int) (json.RawMessage, error) {
	body, err := wire.Marshal(result)
	if err != nil || result.History.Snapshot == nil || len(body) <= most {
		return body, err
	}
	result.History = wire.History{Mode: wire.HistoryNone, NoneReason: wire.NoneBudget}
	return wire.Marshal(result)
}

// mayResume reports whether the peer may take up a session: an agent one that
// an agent of its uid started (protocol §2).
func (c *conn) mayResume(session *fold.Session) bool {
	if c.handshake.role != wire.RoleAgent || c.sees(session.Lineage) {
		return true
	}
	by, uid := session.Started.By, c.transport.Peer.UID
	sameUID := by.UID == uid || by.UID != nil && uid != nil && *by.UID == *uid
	return by.Role == string(wire.RoleAgent) && sameUID
}
