package rpc

import (
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// The hub is the part of Server that knows who sees what: which connections
// watch a session, which own it, and what was last told of its status. All of
// it is guarded by Server.mu. A session is watched by those who are subscribed
// to it by name; covering has those who are by an ancestor's or to all.

// watch subscribes a connection to a session whose state was read at the
// sequence join.
func (s *Server) watch(c *conn, session approval.ID, join uint64, tasks func(joining) []task) {
	lineage := s.lineage(session)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, here := s.conns[c]; !here {
		return // a session that it had asked for was started after it had gone
	}
	add(s.watchers, session, c)
	c.pump.subscribe(lineage, join, tasks)
}

// watchAll subscribes a connection to every session, present and future.
func (s *Server) watchAll(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.everywhere[c] = struct{}{}
	c.pump.everything(s.durable(), func(until uint64) []task {
		return []task{&reissue{until: until}}
	})
}

// TakenUp has those who are subscribed to all sessions asked about the prompts of a
// tree that was loaded, which had not been when they were asked about the others. It
// is the sequencer's TakenUp.
func (s *Server) TakenUp(root approval.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.everywhere {
		c.pump.late(root)
	}
}

// unwatch ends a subscription, and settles what may not wait without it.
func (s *Server) unwatch(c *conn, session approval.ID) {
	s.mu.Lock()
	remove(s.watchers, session, c)
	c.pump.unsubscribe(session)
	var left []decide.ReviewersGone
	if c.interactive() {
		left = s.forsaken(s.families([]approval.ID{session}))
	}
	s.mu.Unlock()
	for _, gone := range left {
		s.insist(gone)
	}
}

// durable is the sequence of the last record that is durable.
func (s *Server) durable() (head uint64) {
	s.seq.View(func(state *fold.State) { head = state.Head() })
	return head
}

// own makes a connection that is still here an owner of a session (protocol §2).
func (s *Server) own(c *conn, session approval.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, here := s.conns[c]; !here {
		return
	}
	add(s.owners, session, c)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.owned[session] = struct{}{}
}

// remove takes a connection out of everything. left is what may not wait
// without it, orphaned are the sessions that nobody owns now.
func (s *Server) remove(c *conn) (left []decide.ReviewersGone, orphaned []approval.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	delete(s.everywhere, c)
	watched := c.pump.sessions()
	for _, session := range watched {
		remove(s.watchers, session, c)
	}
	c.mu.Lock()
	for session := range c.owned {
		if remove(s.owners, session, c) && len(s.owners[session]) == 0 {
			orphaned = append(orphaned, session)
		}
	}
	c.mu.Unlock()
	if !c.interactive() {
		return nil, sorted(orphaned)
	}
	if c.seat.Load().allSessions {
		return s.forsaken(s.waiting()), sorted(orphaned)
	}
	return s.forsaken(s.families(watched)), sorted(orphaned)
}

// stillOpen are the sessions that a connection is subscribed to, by whatever
// subscription, and that were not closed.
func (s *Server) stillOpen(c *conn) [][]approval.ID {
	var covered [][]approval.ID
	if c.seat.Load().allSessions {
		s.seq.View(func(state *fold.State) {
			for session := range state.Sessions() {
				covered = append(covered, session.Lineage)
			}
		})
		covered = distinct(covered)
	} else {
		covered = s.families(c.pump.sessions())
	}
	s.seq.View(func(state *fold.State) {
		covered = slices.DeleteFunc(covered, func(lineage []approval.ID) bool {
			session, ok := state.Session(last(lineage))
			return !ok || session.Closed
		})
	})
	return covered
}

// sees reports whether a connection may see a session at all: an agent sees
// what it owns (protocol §2) and what is below that, whose approvals its
// subscriptions and its cancellations cover (protocol §4 "Children").
func (c *conn) sees(lineage []approval.ID) bool {
	switch seat := c.seat.Load(); {
	case seat == nil:
		return false // nothing is shown before the handshake ends
	case seat.role != wire.RoleAgent:
		return true
	}
	return slices.ContainsFunc(lineage, c.owns)
}

// owns reports whether a session was started or resumed on this connection
// (protocol §2).
func (c *conn) owns(session approval.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, owns := c.owned[session]
	return owns
}

// announce tells every connection but the caller that may see a session that it
// was started. Of agents those are the owners of one above it.
func (s *Server) announce(caller *conn, lineage []approval.ID, n notice) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		if c != caller && c.sees(lineage) {
			c.pump.tell(n)
		}
	}
}

func add(m map[approval.ID]map[*conn]struct{}, id approval.ID, c *conn) {
	if m[id] == nil {
		m[id] = make(map[*conn]struct{})
	}
	m[id][c] = struct{}{}
}

func remove(m map[approval.ID]map[*conn]struct{}, id approval.ID, c *conn) bool {
	_, in := m[id][c]
	delete(m[id], c)
	if len(m[id]) == 0 {
		delete(m, id)
	}
	return in
}
