package rpc

import (
	"strings"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/wire"
)

// PolicyChanged tells every reviewer that the rule files were read again: with
// nil that they are in force as they are, with err that they are not good and
// the policy before them stays (policy.md "Files"). Whoever connects while that
// is so is told it right after its handshake. It never blocks on a peer.
func (s *Server) PolicyChanged(err error) {
	n := s.policyNotice(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.badPolicy = nil
	if err != nil {
		s.badPolicy = &n
	}
	for c := range s.conns {
		c.tellPolicy(n)
	}
}

// policyNotice is of no session: a newer one takes its place.
func (s *Server) policyNotice(err error) notice {
	params := wire.PolicyChanged{Status: wire.PolicyLoaded}
	if err != nil {
		params = wire.PolicyChanged{Status: wire.PolicyFailed, Error: clipText(err.Error(), maxReason)}
	}
	return notice{
		noticeKey: noticeKey{approval.ID{}, wire.MethodPolicyChanged},
		frame:     mustNotification(wire.MethodPolicyChanged, params, s.cfg.Clock.Now().UnixMilli()),
	}
}

// tellBadPolicy tells a reviewer who has just come where the files are not good.
func (s *Server) tellBadPolicy(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.badPolicy != nil {
		c.tellPolicy(*s.badPolicy)
	}
}

// tellPolicy tells a connection that may decide, once its handshake is over.
func (c *conn) tellPolicy(n notice) {
	if seat := c.seat.Load(); seat != nil && seat.role != wire.RoleAgent {
		c.pump.tell(n)
	}
}

// clipText shortens a text to a number of bytes, at the end of a character.
func clipText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len("…")], "") + "…"
}
