package fold

import (
	"iter"
	"slices"

	"github.com/approvald/approvald/internal/approval"
)

// InheritNone is what session/start says where a child session is to see no
// grants of its ancestors.
const InheritNone = "none"

// Ancestors yields the sessions above session, the parent first.
func (s *State) Ancestors(session *Session) iter.Seq[*Session] {
	return func(yield func(*Session) bool) {
		for i := len(session.Lineage) - 2; i >= 0; i-- {
			above, ok := s.Session(session.Lineage[i])
			if !ok || !yield(above) {
				return
			}
		}
	}
}

// Family yields session and every session below it, each parent before its
// children.
func (s *State) Family(session *Session) iter.Seq[*Session] {
	return func(yield func(*Session) bool) { s.walk(session, yield) }
}

func (s *State) walk(session *Session, yield func(*Session) bool) bool {
	if !yield(session) {
		return false
	}
	for _, id := range session.ChildSessions {
		if child, ok := s.Session(id); ok && !s.walk(child, yield) {
			return false
		}
	}
	return true
}

// Within reports whether session is ancestor or below it.
func (s *Session) Within(ancestor approval.ID) bool {
	return slices.Contains(s.Lineage, ancestor)
}
