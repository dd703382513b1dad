package fold

import (
	"iter"

	"github.com/approvald/approvald/internal/approval"
)

// State is everything approvald knows. It is not safe for concurrent use: its
// owner guards it. The zero value is the state of an empty log.
type State struct {
	head     uint64 // sequence of the last record applied
	sessions layer[approval.ID, *Session]
	// starts is the part of the ledger that no session can hold: the commands
	// that started one.
	starts        layer[approval.CommandID, Entry]
	startRefusals int
	grants        layer[approval.ID, *approval.Grant] // every grant ever given
}

// Over returns an overlay of s: it starts equal to s, and what is applied to
// it does not reach s. s must not change while the overlay is in use.
func (s *State) Over() *State {
	return &State{
		head: s.head, sessions: s.sessions.over(),
		starts: s.starts.over(), startRefusals: s.startRefusals, grants: s.grants.over(),
	}
}

// Head is the sequence of the last record applied; 0 for an empty log.
func (s *State) Head() uint64 { return s.head }

// Session returns the session with that id. What it returns may be read until
// s changes.
func (s *State) Session(id approval.ID) (*Session, bool) { return s.sessions.get(id) }

// Sessions yields every session, in no particular order.
func (s *State) Sessions() iter.Seq[*Session] {
	return func(yield func(*Session) bool) {
		for _, session := range s.sessions.all() {
			if !yield(session) {
				return
			}
		}
	}
}

// touch returns the session for writing: in an overlay, a copy of the one
// below that is this overlay's own.
func (s *State) touch(id approval.ID) (*Session, bool) {
	session, ok := s.sessions.get(id)
	if !ok {
		return nil, false
	}
	if _, mine := s.sessions.own[id]; !mine {
		session = session.over()
		s.sessions.put(id, session)
	}
	return session, true
}
