package rpc

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// task is something that a subscription owes before its live records. step
// renders a piece; it runs on the writer's goroutine, without pump.mu.
type task interface {
	step(p *pump) (frames []byte, done bool, err error)
}

// endOf is the cursor behind every event of a record.
func endOf(seq uint64) fold.Cursor { return fold.CursorAt(seq+1, 0) - 1 }

// replay sends the events of a session behind a cursor, up to a record.
type replay struct {
	session approval.ID
	after   fold.Cursor
	until   uint64
}

func (t *replay) step(p *pump) (frames []byte, done bool, err error) {
	for len(frames) < renderChunk {
		seq, ok := p.c.srv.nextRecord(t.session, t.after, t.until)
		if !ok {
			return frames, true, nil
		}
		r, err := p.c.srv.seq.Record(seq)
		if err != nil {
			return nil, false, err
		}
		events, err := p.c.srv.renderEvents(r)
		if err != nil {
			return nil, false, err
		}
		for _, e := range events {
			if e.cursor > t.after && !p.seat.optedOut(e.method) {
				frames = append(frames, e.frame...)
			}
			p.settle(e)
		}
		t.after = endOf(seq)
	}
	return frames, false, nil
}

// nextRecord is the first record of a session that may hold events behind a
// cursor, at or below until.
func (s *Server) nextRecord(session approval.ID, after fold.Cursor, until uint64) (seq uint64, ok bool) {
	s.seq.View(func(state *fold.State) {
		in, found := state.Session(session)
		if !found {
			return
		}
		for at := range in.Records((after + 1).Seq()) {
			seq, ok = at, at <= until
			return
		}
	})
	return seq, ok
}

// respond sends an answer that had to wait for a replay.
type respond struct{ frame []byte }

func (t *respond) step(p *pump) (frames []byte, done bool, err error) {
	p.c.finished()
	return t.frame, true, nil
}

// reissue sends approval/request for every pending approval that the peer has
// not been sent, in opening order (protocol §2). What is asked after until
// comes with its live event.
type reissue struct {
	session approval.ID // zero: of every session
	until   uint64
	listed  bool
	pending []pendingRef
}

// pendingRef names a pending approval, with the sequence it was opened at.
type pendingRef struct {
	session, approval approval.ID
	opened            uint64
}

func (t *reissue) step(p *pump) (frames []byte, done bool, err error) {
	if !p.c.interactive() {
		return nil, true, nil
	}
	if !t.listed {
		t.pending, t.listed = p.c.srv.pendingRefs(t.session), true
	}
	for len(t.pending) > 0 && len(frames) < renderChunk {
		ref := t.pending[0]
		t.pending = t.pending[1:]
		params, requirement := p.c.srv.pendingParams(ref, t.until)
		if params == nil {
			continue
		}
		id, fresh := p.asked.number(ref.session, requirement)
		if !fresh {
			continue
		}
		body, err := wire.Marshal(params)
		if err != nil {
			return nil, false, err
		}
		frames = append(frames, requestFrame(id, wire.MethodApprovalRequest, body)...)
	}
	return frames, len(t.pending) == 0, nil
}

// pendingParams are the params of an approval as it stands; none where it is
// settled, or was asked about after until.
func (s *Server) pendingParams(ref pendingRef, until uint64) (params *wire.ApprovalRequest, r approval.RequirementID) {
	s.seq.View(func(state *fold.State) {
		session, ok := state.Session(ref.session)
		if !ok {
			return
		}
		a, ok := session.Approval(ref.approval)
		if !ok || !a.Pending() || a.Asked.Seq() > until {
			return
		}
		params = a.Params(session.Lineage)
		r = approval.RequirementID{Approval: a.ID, SourceIndex: a.Requirement}
	})
	return params, r
}
