package rpc

import (
	"time"

	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

const (
	maxSessions     = 200
	defaultSessions = 50
)

// sessionList serves session/list (protocol §4), newest first: by the time of
// the last record, then by the order in which the sessions began. It loads none. A
// cursor is the place of the last session of its page: one that something happens
// in meanwhile moves to the front, and is not listed again behind it.
func (r *request) sessionList() {
	var p wire.SessionListParams
	if e := r.decode(&p); e != nil {
		r.fail(e)
		return
	}
	most, e := limit("limit", p.Limit, maxSessions, defaultSessions)
	if e != nil {
		r.fail(e)
		return
	}
	wanted, e := r.listFilter(p)
	if e != nil {
		r.fail(e)
		return
	}
	var behind *listPlace
	if p.Cursor != "" {
		place, ok := parsePlace(p.Cursor)
		if !ok {
			r.fail(invalid("cursor is not one that session/list gave"))
			return
		}
		behind = &place
	}
	var result wire.SessionListResult
	next, err := r.conn.srv.newest(behind, most, wanted, func(s *fold.Session) {
		result.Sessions = append(result.Sessions, s.Object(r.conn.srv.cfg.Profile))
	})
	if err != nil {
		r.internal(err)
		return
	}
	if next != nil {
		cursor := next.text()
		result.NextCursor = &cursor
	}
	r.reply(result)
}

// listFilter is what the list is bounded to: what the connection may see, and what
// its params ask for.
func (r *request) listFilter(p wire.SessionListParams) (func(*fold.Session) bool, *wire.Error) {
	var since time.Time
	if p.UpdatedAfter != "" {
		var e *wire.Error
		if since, e = instant("updatedAfter", p.UpdatedAfter); e != nil {
			return nil, e
		}
	}
	return func(s *fold.Session) bool {
		return r.conn.sees(s.Lineage) &&
			(p.WorkspaceRoot == "" || s.Started.WorkspaceRoot == p.WorkspaceRoot) &&
			s.UpdatedAt.After(since)
	}, nil
}
