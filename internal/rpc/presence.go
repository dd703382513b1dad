package rpc

import (
	"iter"
	"maps"
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
)

// Attended reports whether an interactive reviewer of the session is there: one
// who is subscribed to it, to one above it, or to all. It is the sequencer's
// Attended.
func (s *Server) Attended(session approval.ID) bool {
	lineage := s.lineage(session)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.attended(lineage, approval.ID{})
}

// attended reports the same for one approval: a connection that answered its
// request with an error does not count (protocol §6). Called with mu held.
func (s *Server) attended(lineage []approval.ID, id approval.ID) bool {
	for c := range s.covering(lineage) {
		if c.interactive() && !c.declined(id) {
			return true
		}
	}
	return false
}

// covering yields the connections whose subscriptions cover a session, some of
// them more than once. Called, and to be walked, with mu held.
func (s *Server) covering(lineage []approval.ID) iter.Seq[*conn] {
	return func(yield func(*conn) bool) {
		for _, id := range lineage {
			for c := range s.watchers[id] {
				if !yield(c) {
					return
				}
			}
		}
		for c := range s.everywhere {
			if !yield(c) {
				return
			}
		}
	}
}

// forsaken is what may not wait any longer, now that an interactive reviewer
// of these sessions has left: all of a session that nobody attends, and single
// approvals whose request everybody else answered with an error (protocol §6).
// Called with mu held.
func (s *Server) forsaken(sessions [][]approval.ID) (left []decide.ReviewersGone) {
	for _, lineage := range sessions {
		if !s.attended(lineage, approval.ID{}) {
			left = append(left, decide.ReviewersGone{Session: last(lineage)})
			continue
		}
		for _, id := range s.declinedIn(lineage) {
			if !s.attended(lineage, id) {
				left = append(left, decide.ReviewersGone{Session: last(lineage), Approval: id})
			}
		}
	}
	return left
}

// openedToNobody is what these records opened for reviewers who were there when
// it was decided and have left before it was known to wait: whoever leaves looks
// for what waits, and could not see it yet. What a restart opened again waits for
// reviewers to come back. Called with mu held.
func (s *Server) openedToNobody(records []record.Record, lineages [][]approval.ID) (left []decide.ReviewersGone) {
	for i, r := range records {
		body, opened := r.Body.(*record.ApprovalOpened)
		if !opened || body.Unattended != string(approval.Refuse) || body.Supersedes != nil || s.attended(lineages[i], approval.ID{}) {
			continue
		}
		waits := false
		s.seq.View(func(state *fold.State) {
			if session, ok := state.Session(r.Session); ok {
				a, ok := session.Approval(r.Approval)
				waits = ok && a.Pending()
			}
		})
		if waits {
			left = append(left, decide.ReviewersGone{Session: r.Session})
		}
	}
	return left
}

// declinedIn are the approvals that somebody who watches a session answered
// with an error; some may be of other sessions. Called with mu held.
func (s *Server) declinedIn(lineage []approval.ID) []approval.ID {
	ids := make(map[approval.ID]struct{})
	for c := range s.covering(lineage) {
		c.mu.Lock()
		maps.Copy(ids, c.refused)
		c.mu.Unlock()
	}
	return sorted(slices.Collect(maps.Keys(ids)))
}

// waiting are the lineages of the sessions with something pending.
func (s *Server) waiting() (lineages [][]approval.ID) {
	s.seq.View(func(state *fold.State) {
		for session := range state.Sessions() {
			if session.Pending > 0 {
				lineages = append(lineages, session.Lineage)
			}
		}
	})
	return distinct(lineages)
}

// Watched reports whether a connection is subscribed to the session by name. It
// is the sequencer's Watched.
func (s *Server) Watched(session approval.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.watchers[session]) > 0
}

// Owned reports whether a connection owns the session. It is the sequencer's
// Owned.
func (s *Server) Owned(session approval.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.owners[session]) > 0
}
