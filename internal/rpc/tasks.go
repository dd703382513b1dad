package rpc

import (
	"slices"

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

// reissue sends the request of every pending approval and prompt that the peer has
// not been sent, in opening order (protocol §2). What is asked after until
// comes with its live event.
type reissue struct {
	session approval.ID // with those below it; zero: of every session that is loaded
	root    approval.ID // where session is zero: of this tree alone; zero: of all
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
		method := ref.request()
		if !p.seat.shows(method) {
			continue
		}
		params := p.c.srv.pendingParams(ref, t.until)
		if params == nil {
			continue
		}
		id, fresh := p.asked.number(ref.lineage, method, params.requirement)
		if !fresh {
			continue
		}
		body, err := wire.Marshal(params.of)
		if err != nil {
			return nil, false, err
		}
		frames = append(frames, requestFrame(id, method, body)...)
	}
	return frames, len(t.pending) == 0, nil
}

// list finds what is pending. Of all sessions it waits for none that has to be
// loaded first: what a restart opens again in it is asked after until, and what
// waits on in it is asked when it is loaded (TakenUp).
func (t *reissue) list(srv *Server) (e *wire.Error) {
	t.listed = true
	if t.session.IsZero() {
		t.pending = slices.DeleteFunc(srv.pendingNow(), func(ref pendingRef) bool {
			return !t.root.IsZero() && ref.lineage[0] != t.root
		})
		return nil
	}
	t.pending, e = srv.pendingRefs(t.session)
	return e
}

// request is the method that puts it to reviewers.
func (ref pendingRef) request() string {
	if ref.prompt != nil {
		return wire.MethodUserInputRequest
	}
	return wire.MethodApprovalRequest
}

// standing is a request as it stands, with the requirement that it is about.
type standing struct {
	of          any
	requirement approval.RequirementID
}

// pendingParams are the params of an approval or a prompt as it stands; none where
// it is settled, or was asked about after until.
func (s *Server) pendingParams(ref pendingRef, until uint64) (params *standing) {
	notThere := s.inSession(last(ref.lineage), func(_ *fold.State, session *fold.Session) {
		if ref.prompt != nil {
			if p, ok := session.Prompt(ref.id); ok && p.Pending() && p.Opened <= until {
				params = &standing{p.Params(session.Lineage), approval.RequirementID{Approval: p.ID}}
			}
			return
		}
		a, ok := session.Approval(ref.id)
		if !ok || !a.Pending() || a.Asked.Seq() > until {
			return
		}
		params = &standing{a.Params(session.Lineage), approval.RequirementID{Approval: a.ID, SourceIndex: a.Requirement}}
	})
	if notThere != nil {
		return nil // and its successor is put to this peer when it can be read
	}
	return params
}
