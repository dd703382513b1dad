package rpc

import "github.com/approvald/approvald/internal/approval"

// notice is a frame about a session that is no view event.
type notice struct {
	noticeKey
	after uint64 // it follows the events of this record
	frame []byte
}

// noticeKey is what a notice is about: of each only the latest is kept
// (protocol §5).
type noticeKey struct {
	session approval.ID
	method  string
}

// notices is a queue of notices. A newer one takes the place of the one that
// it makes stale, so a peer that does not read costs one for each session and
// kind, and the writer of the log, which puts them in, an instant.
type notices struct {
	order []noticeKey
	by    map[noticeKey]notice
}

func (q *notices) put(n notice) {
	if q.by == nil {
		q.by = make(map[noticeKey]notice)
	}
	if _, waiting := q.by[n.noticeKey]; !waiting {
		q.order = append(q.order, n.noticeKey)
	}
	q.by[n.noticeKey] = n
}

func (q *notices) first() (notice, bool) {
	if len(q.order) == 0 {
		return notice{}, false
	}
	return q.by[q.order[0]], true
}

func (q *notices) drop() {
	delete(q.by, q.order[0])
	q.order = q.order[1:]
}
