package rpc

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// Hosted is what a connection is for that speaks with a program which the daemon has
// started, of serve --agent-cmd: it owns the session and carries out its turns from its
// handshake on, and it ends with the session.
type Hosted struct {
	Session approval.ID
	From    uint64 // the record of the turn that it was started for: it hears of it, and of all after it
}

// Agent is who carries out the turns of a session: the newest connection that owns it,
// said turns, and hears of them; nil for nobody. It is the sequencer's Agent.
func (s *Server) Agent(session approval.ID) *record.Party {
	lineage := s.lineage(session)
	s.mu.Lock()
	defer s.mu.Unlock()
	hears := make(map[*conn]bool)
	for c := range s.covering(lineage) {
		hears[c] = true
	}
	var newest *conn
	for c := range s.owners[session] {
		if hears[c] && c.carriesOutTurns() && (newest == nil || c.id > newest.id) {
			newest = c
		}
	}
	if newest == nil {
		return nil
	}
	by := newest.partyAs(newest.seat.Load())
	return &by
}

// carriesOutTurns reports whether the peer is there, said turns in its handshake, and
// wants to hear of them.
func (c *conn) carriesOutTurns() bool {
	seat := c.seat.Load()
	if seat == nil || !seat.turns || seat.optedOut(wire.MethodTurnStarted) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.gone
}

// takeSeat gives a program that the daemon has started its session.
func (s *Server) takeSeat(c *conn, h Hosted) {
	s.own(c, h.Session)
	s.watch(c, h.Session, h.From-1, func(joining) []task { return nil })
}

// endHosted lets the programs go whose sessions these records closed: each when it has
// been answered and told everything. Called with mu held.
func (s *Server) endHosted(records []record.Record) {
	for _, r := range records {
		if _, closed := r.Body.(*record.SessionClosed); !closed {
			continue
		}
		for c := range s.hosted[r.Session] {
			c.queue.close()
		}
	}
}

// enterHosted notes whose program a connection is until the function it returns is
// called. Where the session is closed already nobody else ends it.
func (s *Server) enterHosted(c *conn) (leave func()) {
	session := c.transport.Hosted.Session
	s.mu.Lock()
	add(s.hosted, session, c)
	s.mu.Unlock()
	s.seq.View(func(state *fold.State) {
		if in, ok := state.Session(session); !ok || in.Closed {
			c.queue.close()
		}
	})
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		remove(s.hosted, session, c)
	}
}
