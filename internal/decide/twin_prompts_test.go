package decide_test

import (
	"cmp"
	"slices"
	"time"

	"github.com/approvald/approvald/internal/approval"
)

// twinPrompt is a prompt with the one question of the model.
type twinPrompt struct {
	id         approval.ID
	call, turn string
	deadline   time.Time // zero: none, or somebody has engaged with it
	engaged    bool
	outcome    string // "" while it is pending
	hosted     bool   // opened by a program of --agent-cmd
}

func (s *twinSession) prompt(id approval.ID) *twinPrompt {
	for _, p := range s.prompts {
		if p.id == id {
			return p
		}
	}
	return nil
}

func (s *twinSession) waiting() (out []*twinPrompt) {
	for _, p := range s.prompts {
		if p.outcome == "" {
			out = append(out, p)
		}
	}
	return out
}

// endPrompts settles what waits of prompts, and reports whether any did.
func endPrompts(prompts []*twinPrompt, outcome string) bool {
	for _, p := range prompts {
		p.outcome = outcome
	}
	return len(prompts) > 0
}

func (t *twin) asked(s *twinSession, o op) (answer said, recorded bool) {
	turn := cmp.Or(o.turn, s.open)
	switch {
	case len(s.waiting()) >= t.maxPending:
		return said{code: -32031}, false
	case s.over(turn, o.call):
		return said{code: -32030, reason: "turn_ended"}, true
	}
	p := &twinPrompt{id: t.mint(), call: o.call, hosted: o.hosted}
	p.turn = cmp.Or(turn, p.id.String())
	if o.timeout > 0 {
		p.deadline = t.now.Add(o.timeout)
	}
	s.prompts = append(s.prompts, p)
	return said{id: p.id}, false
}

// settlings are the commands that settle a prompt, each with its outcome.
var settlings = map[string]string{
	"answer": "answered", "decline": "cancelled", "clarify": "clarified", "interrupt": "interrupted",
}

// promptSettled makes the checks of decide's commands about prompts, in their order.
func (s *twinSession) promptSettled(o op) said {
	p := s.prompt(o.approval)
	switch {
	case p == nil && s.closed:
		return said{code: -32030, reason: "session_closed"}
	case p == nil:
		return said{code: -32055}
	case p.outcome != "":
		return said{code: -32056}
	case o.differs != "" && (o.what == "answer" || o.what == "interrupt"):
		return said{code: -32057}
	}
	p.outcome = settlings[o.what]
	if o.what == "interrupt" {
		s.stop(p.turn)
	}
	return said{}
}

// stop ends a turn, with what waits in it, and its permits.
func (s *twinSession) stop(turn string) {
	for _, a := range s.approvals {
		switch {
		case !s.inTurn(a.turn, a.parent, turn):
		case a.end == nil:
			a.end = ended("cancelled", "abort", "deny", "policy", "turn")
		case a.permits():
			a.void = "turnEnded"
		}
	}
	endPrompts(s.promptsOf(turn), "cancelled")
	s.ends(turn)
}

// inTurn reports whether what names a turn itself (own), and is nested in a call, belongs
// to the turn: by its own word or by that of a call around it, as it was opened last.
func (s *twinSession) inTurn(own, parent, turn string) bool {
	if own == turn {
		return true
	}
	for range len(s.approvals) + 1 { // the way up may be a ring
		for _, a := range slices.Backward(s.approvals) {
			if a.call == parent {
				if a.turn == turn {
					return true
				}
				parent = a.parent
				break
			}
		}
	}
	return false
}

// promptsIn are the pending prompts of the calls.
func (s *twinSession) promptsIn(calls []string) []*twinPrompt {
	return slices.DeleteFunc(s.waiting(), func(p *twinPrompt) bool { return !slices.Contains(calls, p.call) })
}

// promptsOf are those of a turn.
func (s *twinSession) promptsOf(turn string) []*twinPrompt {
	return slices.DeleteFunc(s.waiting(), func(p *twinPrompt) bool { return !s.inTurn(p.turn, p.call, turn) })
}

// engage and expirePrompt are the daemon's own.
func (s *twinSession) engage(o op) said {
	p := s.prompt(o.approval)
	if p == nil || p.outcome != "" || p.deadline.IsZero() {
		return said{}
	}
	p.deadline, p.engaged = time.Time{}, true
	return said{wrote: true}
}

func (s *twinSession) expirePrompt(o op) said {
	p := s.prompt(o.approval)
	if p == nil || p.outcome != "" || p.deadline.IsZero() {
		return said{}
	}
	p.outcome = "timedOut"
	return said{wrote: true}
}

// overdue ends the prompts whose deadline had passed when the session was read.
func (s *twinSession) overdue(now time.Time) bool {
	return endPrompts(slices.DeleteFunc(s.waiting(), func(p *twinPrompt) bool {
		return p.deadline.IsZero() || now.Before(p.deadline)
	}), "timedOut")
}
