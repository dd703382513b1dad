package rpc

import (
	"cmp"
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
)

// replayBatch is how many records a replay looks up at once.
const replayBatch = 1024

// replay sends the events of a session and of those below it, in the order of
// the log, up to a record. Of each session it sends what the connection is still
// owed and was not sent, and behind a cursor that the peer named, all that the
// session has there: a cursor is a place in the one log, so it says for a child
// as well what came later.
type replay struct {
	session approval.ID
	met     joining
	// after is the cursor that the peer named; nil for none. again says that the
	// session's own events behind it are sent even if they were before; those of
	// a child that was covered are not.
	after  *fold.Cursor
	again  bool
	beyond uint64 // records up to here are another task's
	until  uint64

	at    fold.Cursor // everything up to here has been looked up
	batch []replayed  // and is to be sent
}

// replayed is a record with the cursor behind which its events are sent.
type replayed struct {
	seq   uint64
	after fold.Cursor
}

func (t *replay) step(p *pump) (frames []byte, done bool, err error) {
	srv := p.c.srv
	for len(frames) < renderChunk {
		if len(t.batch) == 0 {
			if more, err := t.lookUp(srv); err != nil || !more {
				return frames, err == nil, err
			}
		}
		next := t.batch[0]
		t.batch = t.batch[1:]
		r, err := srv.seq.Record(next.seq)
		if err != nil {
			return nil, false, err
		}
		events, err := srv.renderEvents(r)
		if err != nil {
			return nil, false, err
		}
		for _, e := range events {
			if e.cursor > next.after && !p.seat.optedOut(e.method) {
				frames = append(frames, p.seat.told(e).frame...)
			}
			p.settle(e)
		}
	}
	return frames, false, nil
}

// start is the cursor behind which the events of a session are sent.
func (t *replay) start(lineage []approval.ID) fold.Cursor {
	start := endOf(max(t.met.seen(lineage), t.beyond))
	if t.after == nil {
		return start
	}
	_, sent := t.met.before.of(lineage)
	if !sent || t.again && last(lineage) == t.session {
		start = min(start, *t.after)
	}
	return start
}

// lookUp fills the batch with the next records of the family; false where there
// is none.
func (t *replay) lookUp(srv *Server) (more bool, err error) {
	e := srv.inSession(t.session, func(state *fold.State, root *fold.Session) {
		for in := range state.Family(root) {
			after, n := max(t.start(in.Lineage), t.at), 0
			for seq := range in.Records((after + 1).Seq()) {
				if n++; seq > t.until || n > replayBatch {
					break
				}
				t.batch = append(t.batch, replayed{seq, after})
			}
		}
	})
	if e != nil {
		return false, e
	}
	if len(t.batch) == 0 {
		return false, nil
	}
	slices.SortFunc(t.batch, func(a, b replayed) int { return cmp.Compare(a.seq, b.seq) })
	t.batch = t.batch[:min(len(t.batch), replayBatch)]
	t.at = endOf(t.batch[len(t.batch)-1].seq)
	return true, nil
}
