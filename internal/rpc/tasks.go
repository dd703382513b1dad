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
	session approval.ID // with those below it; zero: of every session
	until   uint64
	listed  bool
	pending []pendingRef
}

func (t *reissue) step(p *pump) (frames []byte, done bool, err error) {
	if !p.c.interactive() {
		return nil, true, nil
	}
	if !t.listed {
		if e := t.list(p.c.srv); e != nil {
			return nil, false, e
		}
	}
	for len(t.pending) > 0 && len(frames) < renderChunk {
		ref := t.pending[0]
		t.pending = t.pending[1:]
		params, requirement := p.c.srv.pendingParams(ref, t.until)
		if params == nil {
			continue
		}
		id, fresh := p.asked.number(ref.lineage, requirement)
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

// list finds what is pending. Of all sessions it waits for none that has to be
// loaded first: what a restart opens again in it is asked after until.
func (t *reissue) list(srv *Server) (e *wire.Error) {
	t.listed = true
	if t.session.IsZero() {
		t.pending = srv.pendingNow()
		return nil
	}
	t.pending, e = srv.pendingRefs(t.session)
	return e
}

// pendingParams are the params of an approval as it stands; none where it is
// settled, or was asked about after until.
func (s *Server) pendingParams(ref pendingRef, until uint64) (params *wire.ApprovalRequest, r approval.RequirementID) {
	notThere := s.inSession(last(ref.lineage), func(_ *fold.State, session *fold.Session) {
		a, ok := session.Approval(ref.approval)
		if !ok || !a.Pending() || a.Asked.Seq() > until {
			return
		}
		params = a.Params(session.Lineage)
		r = approval.RequirementID{Approval: a.ID, SourceIndex: a.Requirement}
	})
	if notThere != nil {
		return nil, r // and its successor is put to this peer when it can be read
	}
	return params, r
}
