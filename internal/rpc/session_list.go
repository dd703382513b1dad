package rpc

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

const (
	maxSessions     = 200
	defaultSessions = 50
)

// sessionList serves session/list (protocol §4), newest first: by the time of
// the last record, then by the order in which the sessions began.
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
	r.reply(r.listSessions(wanted, most))
}

// listPlace is where in the list a page ended: it sorts like the sessions.
type listPlace struct {
	updated int64  // Unix milliseconds
	first   uint64 // sequence of the session's first record
}

func placeOf(s *fold.Session) listPlace { return listPlace{s.UpdatedAt.UnixMilli(), s.First} }

// compare orders newest first.
func (a listPlace) compare(b listPlace) int {
	return cmp.Or(cmp.Compare(b.updated, a.updated), cmp.Compare(b.first, a.first))
}

func (a listPlace) text() string {
	return strconv.FormatInt(a.updated, 10) + "." + strconv.FormatUint(a.first, 10)
}

func parsePlace(text string) (listPlace, bool) {
	updated, firstSeq, _ := strings.Cut(text, ".")
	at, err1 := strconv.ParseInt(updated, 10, 64)
	first, err2 := strconv.ParseUint(firstSeq, 10, 64)
	place := listPlace{at, first}
	return place, err1 == nil && err2 == nil && place.text() == text
}

func (r *request) listFilter(p wire.SessionListParams) (func(*fold.Session) bool, *wire.Error) {
	var after listPlace
	if p.Cursor != "" {
		var ok bool
		if after, ok = parsePlace(p.Cursor); !ok {
			return nil, invalid("cursor is not one that session/list gave")
		}
	}
	var since time.Time
	if p.UpdatedAfter != "" {
		var e *wire.Error
		if since, e = instant("updatedAfter", p.UpdatedAfter); e != nil {
			return nil, e
		}
	}
	return func(s *fold.Session) bool {
		return r.conn.sees(s.Lineage) &&
			(p.Cursor == "" || after.compare(placeOf(s)) < 0) &&
			(p.WorkspaceRoot == "" || s.Started.WorkspaceRoot == p.WorkspaceRoot) &&
			s.UpdatedAt.After(since)
	}, nil
}

func (r *request) listSessions(wanted func(*fold.Session) bool, most int) wire.SessionListResult {
	type row struct {
		id    approval.ID
		place listPlace
	}
	var rows []row
	var result wire.SessionListResult
	r.conn.srv.seq.View(func(state *fold.State) {
		for s := range state.Sessions() {
			if wanted(s) {
				rows = append(rows, row{s.ID, placeOf(s)})
			}
		}
	})
	// Sorted without the view, which the writer may be waiting for.
	slices.SortFunc(rows, func(a, b row) int { return a.place.compare(b.place) })
	if len(rows) > most {
		next := rows[most-1].place.text()
		result.NextCursor, rows = &next, rows[:most]
	}
	r.conn.srv.seq.View(func(state *fold.State) {
		for _, row := range rows {
			s, _ := state.Session(row.id)
			result.Sessions = append(result.Sessions, s.Object(r.conn.srv.cfg.Profile))
		}
	})
	return result
}
