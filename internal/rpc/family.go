package rpc

import (
	"cmp"
	"iter"
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// lineage is the ids from the root down to a session; just its own for one that
// is not known, since nobody above it is known either. It never changes, may be
// kept, and must not be modified.
func (s *Server) lineage(session approval.ID) (lineage []approval.ID) {
	s.seq.View(func(state *fold.State) { lineage = lineageIn(state, session) })
	return lineage
}

func lineageIn(state *fold.State, session approval.ID) []approval.ID {
	if in, ok := state.Session(session); ok {
		return in.Lineage
	}
	return []approval.ID{session}
}

// lineages are those of the records' sessions, in the order of the records.
func (s *Server) lineages(records []record.Record) [][]approval.ID {
	out := make([][]approval.ID, len(records))
	s.seq.View(func(state *fold.State) {
		for i, r := range records {
			out[i] = lineageIn(state, r.Session)
		}
	})
	return out
}

// families are the lineages of these sessions and of every session below them,
// each once, in the order of the ids that they lead to.
func (s *Server) families(sessions []approval.ID) (lineages [][]approval.ID) {
	s.seq.View(func(state *fold.State) {
		for _, id := range sessions {
			if root, ok := state.Session(id); ok {
				for in := range state.Family(root) {
					lineages = append(lineages, in.Lineage)
				}
			}
		}
	})
	return distinct(lineages)
}

// distinct sorts lineages by the ids that they lead to and drops repetitions.
func distinct(lineages [][]approval.ID) [][]approval.ID {
	slices.SortFunc(lineages, func(a, b []approval.ID) int { return compareIDs(last(a), last(b)) })
	return slices.CompactFunc(lineages, func(a, b []approval.ID) bool { return last(a) == last(b) })
}

func compareIDs(a, b approval.ID) int { return slices.Compare(a[:], b[:]) }

func sorted(ids []approval.ID) []approval.ID {
	slices.SortFunc(ids, compareIDs)
	return ids
}

// pendingRef names a pending approval or prompt, with the sequence it was opened at.
type pendingRef struct {
	lineage []approval.ID // of its session
	id      approval.ID
	opened  uint64
	asked   fold.Cursor
	// One of them is set: as it stood; not changed any more.
	approval *fold.Approval
	prompt   *fold.Prompt
}

// encodedParams are those of its request.
func (s *Server) encodedParams(ref pendingRef) ([]byte, error) {
	if ref.prompt != nil {
		return wire.Marshal(ref.prompt.Params(ref.lineage))
	}
	full, err := ref.approval.Full(s.seq.Record)
	if err != nil {
		return nil, err
	}
	return wire.Marshal(full.Params(ref.lineage))
}

// eachPending calls fn with a session and those below it, or (zero) with every one,
// as they are at one moment, but for those that have nothing pending. A list from
// which something is missing would be a lie: where a session cannot be read fn is
// not called.
func (s *Server) eachPending(session approval.ID, fn func(*fold.Session)) *wire.Error {
	if session.IsZero() {
		if e := readError(s.seq.LoadPending()); e != nil {
			return e
		}
		s.seq.ViewPending(fn)
		return nil
	}
	return s.inSession(session, func(state *fold.State, in *fold.Session) { eachWithin(state, in, fn) })
}

// pendingRefs are the pending approvals and prompts of a session and those below it,
// in opening order.
func (s *Server) pendingRefs(session approval.ID) (refs []pendingRef, e *wire.Error) {
	e = s.eachPending(session, func(in *fold.Session) { refs = appendPending(refs, in) })
	slices.SortFunc(refs, inOpeningOrder)
	return refs, e
}

// pendingNow are the pending approvals and prompts of the sessions that are loaded, in
// opening order. The others are those that a restart has yet to read.
func (s *Server) pendingNow() (refs []pendingRef) {
	s.seq.ViewPending(func(in *fold.Session) { refs = appendPending(refs, in) })
	slices.SortFunc(refs, inOpeningOrder)
	return refs
}

// pendingWithin are the pending approvals and prompts of a session and those below
// it, in opening order.
func pendingWithin(state *fold.State, session *fold.Session) (refs []pendingRef) {
	eachWithin(state, session, func(in *fold.Session) { refs = appendPending(refs, in) })
	slices.SortFunc(refs, inOpeningOrder)
	return refs
}

// eachWithin calls fn with a session, and with those below it where anything is
// pending there.
func eachWithin(state *fold.State, session *fold.Session, fn func(*fold.Session)) {
	if session.Below+session.PromptsBelow == 0 {
		fn(session)
		return
	}
	for in := range state.Family(session) {
		fn(in)
	}
}

func appendPending(refs []pendingRef, in *fold.Session) []pendingRef {
	return slices.AppendSeq(refs, pendingIn(in))
}

// pendingIn are the pending approvals and prompts of a session, in no particular
// order.
func pendingIn(in *fold.Session) iter.Seq[pendingRef] {
	return func(yield func(pendingRef) bool) {
		for a := range in.EachPending() {
			if !yield(pendingRef{lineage: in.Lineage, id: a.ID, opened: a.Opened, asked: a.Asked, approval: a}) {
				return
			}
		}
		for _, p := range in.PendingPrompts() {
			if !yield(pendingRef{lineage: in.Lineage, id: p.ID, opened: p.Opened, asked: p.Asked(), prompt: p}) {
				return
			}
		}
	}
}

func inOpeningOrder(a, b pendingRef) int { return cmp.Compare(a.opened, b.opened) }
