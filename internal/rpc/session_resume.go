package rpc

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// maxPointers is how many pending requests resume and read point at.
const maxPointers = 1000

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
	var result wire.SessionResumeResult
	var from *fold.Cursor
	var join uint64
	r.conn.srv.seq.View(func(state *fold.State) {
		session, ok := state.Session(id)
		if !ok || !r.conn.mayResume(session) {
			e = sessionNotFound(id)
			return
		}
		join = state.Head()
		result = r.resumed(p, session)
		if p.Cursor != nil {
			var after fold.Cursor
			if after, e = anchor(r.conn.srv, session, *p.Cursor); e == nil {
				from = &after
			}
		}
	})
	if e != nil {
		r.fail(e)
		return
	}
	body, err := wire.Marshal(result)
	if err != nil {
		r.internal(err)
		return
	}
	if r.conn.handshake.role != wire.RoleReviewer {
		r.conn.srv.own(r.conn, id)
	}
	r.conn.srv.watch(r.conn, id, join, func(seen, until uint64) []task {
		answer := &respond{frame: responseFrame(r.id, body)}
		tasks := []task{answer, &replay{session: id, after: min(endOf(join), endOf(seen)), until: until}}
		if from != nil {
			// The answer says where the view stands, so the replay before it
			// ends there; what has happened since comes after it.
			tasks = []task{
				&replay{session: id, after: min(*from, endOf(seen)), until: join}, answer,
				&replay{session: id, after: endOf(join), until: until},
			}
		}
		return append(tasks, &reissue{session: id, until: until})
	})
}

func (r *request) resumed(p wire.SessionResumeParams, session *fold.Session) wire.SessionResumeResult {
	pointers, truncated := pendingPointers(session)
	reason := wire.NoneProjectionUnavailable
	switch {
	case p.ExcludeItems:
		reason = wire.NoneExcluded
	case p.Cursor != nil:
		reason = wire.NoneCursorSuffix
	}
	return wire.SessionResumeResult{
		Ack:              wire.Accepted(p.CommandID),
		Session:          session.Object(r.conn.srv.cfg.Profile),
		ViewCursor:       session.Head.Text(session.ID),
		History:          wire.History{Mode: wire.HistoryNone, NoneReason: reason},
		PendingRequests:  pointers,
		PendingTruncated: truncated,
	}
}

// mayResume reports whether the peer may take up a session: an agent one that
// an agent of its uid started (protocol §2).
func (c *conn) mayResume(session *fold.Session) bool {
	if c.handshake.role != wire.RoleAgent || c.sees(session.ID) {
		return true
	}
	by, uid := session.Started.By, c.transport.Peer.UID
	sameUID := by.UID == uid || by.UID != nil && uid != nil && *by.UID == *uid
	return by.Role == string(wire.RoleAgent) && sameUID
}

// pendingPointers point at what a session waits for, in opening order.
func pendingPointers(session *fold.Session) (pointers []wire.PendingRequest, truncated bool) {
	pending := session.PendingApprovals()
	if truncated = len(pending) > maxPointers; truncated {
		pending = pending[:maxPointers]
	}
	for _, a := range pending {
		pointers = append(pointers, wire.PendingRequest{
			Kind: wire.PendingApproval, ApprovalID: a.ID.String(), ViewCursor: a.Asked.Text(session.ID),
		})
	}
	return pointers, truncated
}

// anchor reads a cursor of the session: one that was issued, as the place of
// an event or as a head (protocol §5).
func anchor(s *Server, session *fold.Session, text string) (fold.Cursor, *wire.Error) {
	missing := wire.NewError(wire.CodeNotFound, "The cursor is not one of this session; start from the beginning of the view.",
		func(d *wire.ErrorData) {
			shown := clip(text)
			d.Reason, d.SessionID, d.Anchor = wire.ReasonMissingAnchor, session.ID.String(), &shown
		})
	cursor, ok := fold.ParseCursor(session.ID, text)
	if !ok || cursor > session.Head {
		return 0, missing
	}
	for seq := range session.Records(cursor.Seq()) {
		if seq != cursor.Seq() {
			return 0, missing
		}
		break
	}
	r, err := s.seq.Record(cursor.Seq())
	if err != nil || cursor.Index() > max(0, fold.EventCount(r)-1) {
		return 0, missing
	}
	return cursor, nil
}

// sessionID is where a handler that needs only the id of a visible session
// starts.
func (r *request) existing(value string) (id approval.ID, e *wire.Error) {
	e = r.inSession(value, func(_ *fold.State, session *fold.Session) *wire.Error {
		id = session.ID
		return nil
	})
	return id, e
}
