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
		ref, waits := p.c.srv.standing(ref, t.until)
		if !waits {
			continue
		}
		id, fresh := p.asked.number(ref.lineage, method, ref.requirement())
		if !fresh {
			continue
		}
		body, err := p.c.srv.encodedParams(ref)
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

// requirement is what it asks a decision on.
func (ref pendingRef) requirement() approval.RequirementID {
	of := approval.RequirementID{Approval: ref.id}
	if ref.approval != nil {
		of.SourceIndex = ref.approval.Requirement
	}
	return of
}

// standing is the approval or the prompt as it stands by now; false where it is
// settled, or was asked about after until.
func (s *Server) standing(ref pendingRef, until uint64) (now pendingRef, waits bool) {
	now = ref
	notThere := s.inSession(last(ref.lineage), func(_ *fold.State, session *fold.Session) {
		if ref.prompt != nil {
			now.prompt, waits = session.Prompt(ref.id)
			waits = waits && now.prompt.Pending() && now.prompt.Opened <= until
			return
		}
		now.approval, waits = session.Approval(ref.id)
		waits = waits && now.approval.Pending() && now.approval.Asked.Seq() <= until
	})
	// What cannot be read is put to this peer when it can be, by its successor.
	return now, waits && notThere == nil
}
