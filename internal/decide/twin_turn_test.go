package decide_test

import (
	"cmp"
	"slices"
)

// begin is protocol §4, turn/start.
func (t *twin) begin(s *twinSession) (answer said, recorded bool) {
	switch {
	case s.open != "" || len(s.pending()) > 0 || len(s.waiting()) > 0:
		return said{code: -32030, reason: "run_active"}, true
	case t.attached == "" && !t.hosts:
		return said{code: -32030, reason: "missing_run"}, true
	}
	id := t.mint()
	s.open, s.hosted = id.String(), t.attached != "agent"
	s.begun = append(s.begun, s.open)
	return said{id: id}, false
}

// interrupt is protocol §4, turn/interrupt.
func (s *twinSession) interrupt(o op) (answer said, recorded bool) {
	turn := cmp.Or(o.turn, s.open)
	if turn == "" || !s.named(turn) || slices.Contains(s.ended, turn) {
		return said{code: -32030, reason: "invalid_target"}, true
	}
	s.stop(turn)
	return said{turn: turn}, false
}

// exited is the end of a program of --agent-cmd: what it opened outside its turn is
// cancelled, there and below, and its turn is over.
func (t *twin) exited(s *twinSession) said {
	var answer said
	if s == nil || s.closed {
		return answer
	}
	for _, in := range t.family(s)[1:] {
		answer.wrote = in.cancelHosted("") || answer.wrote
	}
	answer.wrote = s.loseHosted() || answer.wrote
	return answer
}

func (s *twinSession) loseHosted() (some bool) {
	turn := ""
	if s.hosted {
		turn = s.open
	}
	some = s.cancelHosted(turn)
	if turn != "" {
		s.stop(turn)
		some = true
	}
	return some
}

// cancelHosted ends what such a program has pending, but for what is in the turn.
func (s *twinSession) cancelHosted(turn string) (some bool) {
	for _, a := range s.pending() {
		if a.hosted && (turn == "" || !s.inTurn(a.turn, a.parent, turn)) {
			a.end, some = ended("cancelled", "abort", "deny", "policy", "agent"), true
		}
	}
	for _, p := range s.waiting() {
		if p.hosted && (turn == "" || !s.inTurn(p.turn, p.call, turn)) {
			p.outcome, some = "cancelled", true
		}
	}
	return some
}

// ends notes that a turn is over, the open one or another.
func (s *twinSession) ends(turn string) {
	s.ended = append(s.ended, turn)
	if turn == s.open {
		s.open, s.hosted = "", false
	}
}
