package sequencer

import (
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
)

// DefaultIdleWindow is how long a tree that nobody needs stays loaded at least
// (protocol §4 "Loading").
const DefaultIdleWindow = 5 * time.Minute

// watchIdle sees to it that there is a sweep to come.
func (s *Sequencer) watchIdle() {
	if s.stopSweep == nil {
		s.stopSweep = s.cfg.Clock.AfterFunc(s.cfg.IdleWindow, func() {
			select {
			case s.sweep <- struct{}{}:
			default:
			}
		})
	}
}

// restSweep is for the end: nobody is left to sweep.
func (s *Sequencer) restSweep() {
	if s.stopSweep != nil {
		s.stopSweep()
	}
}

// unloadIdle unloads the trees that nobody has used since the last sweep, that
// nobody is subscribed to by name, and in which nothing is pending, so that nobody
// awaits anything of them.
func (s *Sequencer) unloadIdle() {
	var idle []approval.ID
	for root, t := range s.trees {
		if session, ok := s.view.Session(root); ok && !t.used.Swap(false) && !session.Waits() && !s.watched(session) {
			idle = append(idle, root)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, root := range idle {
		s.detach(root)
	}
	s.stopSweep = nil
	if len(s.trees) > 0 {
		s.watchIdle()
	}
}

// watched reports whether somebody is subscribed to a session of the tree. It is
// asked without mu, which whoever knows may be waiting for.
func (s *Sequencer) watched(root *fold.Session) bool {
	for in := range s.view.Family(root) {
		if s.cfg.Watched(in.ID) {
			return true
		}
	}
	return false
}
