package rpc

import (
	"cmp"
	"maps"
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// The hub is the part of Server that knows who sees what: which connections
// watch a session, which own it, and what was last told of its status. All of
// it is guarded by Server.mu.

// watch subscribes a connection to a session whose state was read at the
// sequence join.
func (s *Server) watch(c *conn, session approval.ID, join uint64, tasks func(seen, until uint64) []task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, here := s.conns[c]; !here {
		return // a session that it had asked for was started after it had gone
	}
	add(s.watchers, session, c)
	c.pump.subscribe(session, join, tasks)
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

// unwatch ends a subscription, and settles what may not wait without it.
func (s *Server) unwatch(c *conn, session approval.ID) {
	s.mu.Lock()
	remove(s.watchers, session, c)
	c.pump.unsubscribe(session)
	var left []decide.ReviewersGone
	if c.interactive() {
		left = s.forsaken([]approval.ID{session})
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
		watched = s.waiting()
	}
	return s.forsaken(sorted(watched)), sorted(orphaned)
}

// forsaken is what may not wait any longer, now that an interactive reviewer
// of these sessions has left: all of a session that nobody attends, and single
// approvals whose request everybody else answered with an error (protocol §6).
// Called with mu held.
func (s *Server) forsaken(sessions []approval.ID) (left []decide.ReviewersGone) {
	for _, session := range sessions {
		if !s.attended(session, approval.ID{}) {
			left = append(left, decide.ReviewersGone{Session: session})
			continue
		}
		for _, id := range s.declinedIn(session) {
			if !s.attended(session, id) {
				left = append(left, decide.ReviewersGone{Session: session, Approval: id})
			}
		}
	}
	return left
}

// declinedIn are the approvals that somebody who watches a session answered
// with an error; some may be of other sessions. Called with mu held.
func (s *Server) declinedIn(session approval.ID) []approval.ID {
	ids := make(map[approval.ID]struct{})
	collect := func(c *conn) {
		c.mu.Lock()
		defer c.mu.Unlock()
		maps.Copy(ids, c.refused)
	}
	for c := range s.watchers[session] {
		collect(c)
	}
	for c := range s.everywhere {
		collect(c)
	}
	return sorted(slices.Collect(maps.Keys(ids)))
}

// pendingRefs are the pending approvals of a session, or (zero) of all, in
// opening order.
func (s *Server) pendingRefs(session approval.ID) []pendingRef {
	var refs []pendingRef
	collect := func(in *fold.Session) {
		for _, a := range in.PendingApprovals() {
			refs = append(refs, pendingRef{in.ID, a.ID, a.Opened})
		}
	}
	s.seq.View(func(state *fold.State) {
		if !session.IsZero() {
			if in, ok := state.Session(session); ok {
				collect(in)
			}
			return
		}
		for in := range state.Sessions() {
			collect(in)
		}
	})
	slices.SortFunc(refs, func(a, b pendingRef) int { return cmp.Compare(a.opened, b.opened) })
	return refs
}

// waiting are the sessions with something pending.
func (s *Server) waiting() (ids []approval.ID) {
	s.seq.View(func(state *fold.State) {
		for session := range state.Sessions() {
			if session.Pending > 0 {
				ids = append(ids, session.ID)
			}
		}
	})
	return ids
}

// Owned reports whether a connection owns the session. It is the sequencer's
// Owned.
func (s *Server) Owned(session approval.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.owners[session]) > 0
}

// stillOpen are the sessions that a connection is subscribed to and that were
// not closed, sorted.
func (s *Server) stillOpen(c *conn) (ids []approval.ID) {
	named := c.pump.sessions()
	s.seq.View(func(state *fold.State) {
		if c.seat.Load().allSessions {
			for session := range state.Sessions() {
				if !session.Closed {
					ids = append(ids, session.ID)
				}
			}
			return
		}
		for _, id := range named {
			if session, ok := state.Session(id); ok && !session.Closed {
				ids = append(ids, id)
			}
		}
	})
	return sorted(ids)
}

// sees reports whether a connection may see a session at all: an agent sees
// what it owns (protocol §2).
func (c *conn) sees(session approval.ID) bool {
	switch seat := c.seat.Load(); {
	case seat == nil:
		return false // nothing is shown before the handshake ends
	case seat.role != wire.RoleAgent:
		return true
	}
	return c.owns(session)
}

// owns reports whether a session was started or resumed on this connection
// (protocol §2).
func (c *conn) owns(session approval.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, owns := c.owned[session]
	return owns
}

// statusShown is the part of a session that session/statusChanged tells.
type statusShown struct {
	status  wire.SessionStatus
	waiting bool
}

// tellStatus tells every connection that may see them of the sessions whose
// status changed with these records. Called with mu held.
func (s *Server) tellStatus(records []record.Record) {
	seen := make(map[approval.ID]bool, len(records))
	s.seq.View(func(state *fold.State) {
		for _, r := range records {
			session, ok := state.Session(r.Session)
			if !ok || seen[r.Session] {
				continue
			}
			seen[r.Session] = true
			now := statusShown{session.Status(), session.Pending > 0}
			before, told := s.status[session.ID]
			if !told {
				before = statusShown{status: wire.SessionIdle}
			}
			if now == before {
				continue
			}
			s.status[session.ID] = now
			n := notice{
				noticeKey: noticeKey{session.ID, wire.MethodSessionStatusChanged},
				after:     session.Last, frame: statusFrame(session),
			}
			for c := range s.conns {
				if c.sees(session.ID) {
					c.pump.tell(n)
				}
			}
		}
	})
}

func statusFrame(session *fold.Session) []byte {
	cursor := session.Head.Text(session.ID)
	return mustNotification(wire.MethodSessionStatusChanged, wire.SessionStatusChanged{
		SessionID: session.ID.String(), Status: session.Status(),
		Attention: session.Attention(), ViewCursor: &cursor,
	}, session.UpdatedAt.UnixMilli())
}

// announce tells every connection but the caller that a session was started;
// an agent's sessions are its own, so no other agent hears of them.
func (s *Server) announce(caller *conn, n notice) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		if c != caller && c.sees(n.session) {
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

func sorted(ids []approval.ID) []approval.ID {
	slices.SortFunc(ids, func(a, b approval.ID) int { return slices.Compare(a[:], b[:]) })
	return ids
}
