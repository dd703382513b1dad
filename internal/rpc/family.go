package rpc

import (
	"cmp"
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

// params are those of its request.
func (ref pendingRef) params() any {
	if ref.prompt != nil {
		return ref.prompt.Params(ref.lineage)
	}
	return ref.approval.Params(ref.lineage)
}

// pendingRefs are the pending approvals and prompts of a session and those below it,
// or (zero) of all, in opening order. A list from which something is missing would
// be a lie: where a session cannot be read there is none.
func (s *Server) pendingRefs(session approval.ID) (refs []pendingRef, e *wire.Error) {
	if session.IsZero() {
		if e := readError(s.seq.LoadPending()); e != nil {
			return nil, e
		}
		return s.pendingNow(), nil
	}
	e = s.inSession(session, func(state *fold.State, in *fold.Session) { refs = pendingInOrder(state, in) })
	return refs, e
}

// pendingInOrder is pendingWithin in opening order.
func pendingInOrder(state *fold.State, session *fold.Session) []pendingRef {
	refs := pendingWithin(state, session)
	slices.SortFunc(refs, inOpeningOrder)
	return refs
}

// pendingNow are the pending approvals and prompts of the sessions that are loaded, in
// opening order. The others are those that a restart has yet to read.
func (s *Server) pendingNow() (refs []pendingRef) {
	s.seq.ViewPending(func(in *fold.Session) { refs = appendPending(refs, in) })
	slices.SortFunc(refs, inOpeningOrder)
	return refs
}

// pendingWithin are the pending approvals and prompts of a session and those below
// it.
func pendingWithin(state *fold.State, session *fold.Session) (refs []pendingRef) {
	if session.Below+session.PromptsBelow == 0 {
		return appendPending(nil, session)
	}
	for in := range state.Family(session) {
		refs = appendPending(refs, in)
	}
	return refs
}

func appendPending(refs []pendingRef, in *fold.Session) []pendingRef {
	for _, a := range in.PendingApprovals() {
		refs = append(refs, pendingRef{lineage: in.Lineage, id: a.ID, opened: a.Opened, asked: a.Asked, approval: a})
	}
	for _, p := range in.PendingPrompts() {
		refs = append(refs, pendingRef{lineage: in.Lineage, id: p.ID, opened: p.Opened, asked: p.Asked(), prompt: p})
	}
	return refs
}

func inOpeningOrder(a, b pendingRef) int { return cmp.Compare(a.opened, b.opened) }
