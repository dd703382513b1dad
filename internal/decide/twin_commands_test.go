package decide_test

import (
	"cmp"
	"slices"

	"github.com/approvald/approvald/internal/approval"
)

// do carries an operation out.
func (t *twin) do(o op) said {
	if o.what == "start" {
		return t.start(o)
	}
	s := t.session(o.session)
	switch o.what {
	case "expire":
		if s == nil {
			return said{}
		}
		a := s.approval(o.approval)
		if a == nil || a.end != nil {
			return said{}
		}
		a.end = ended("timedOut", "timedOut", "deny", "policy", "deadline")
		return said{wrote: true}
	case "agentGone":
		return t.agentGone(s)
	case "exited":
		return t.exited(s)
	case "reviewersGone":
		return t.reviewersGone(s, o)
	case "recover":
		return t.recover(s)
	case "engage", "expirePrompt":
		switch {
		case s == nil:
			return said{}
		case o.what == "engage":
			return s.engage(o)
		}
		return s.expirePrompt(o)
	case "stored":
		return t.stored(o)
	case "reload":
		return said{wrote: s != nil && t.reevaluate(s)}
	}

	// A command of a client.
	if s == nil {
		return said{code: -32020}
	}
	if known, ok := s.ledger[o.command]; ok {
		return again(known, o)
	}
	answer, recorded := t.command(s, o)
	if answer.code != 0 && recorded && s.refusals >= t.maxRefusals {
		return said{code: -32001}
	}
	if answer.code == 0 || recorded {
		answer.wrote = true
		s.ledger[o.command] = twinEntry{o.payload(), answer}
		if answer.code == 0 {
			s.refusals = 0
		} else {
			s.refusals++
		}
	}
	return answer
}

// again is the answer to a command id that the ledger knows.
func again(known twinEntry, o op) said {
	if known.payload != o.payload() {
		return said{code: -32030, reason: "command_id_conflict"}
	}
	known.answer.wrote = false
	return known.answer
}

func (t *twin) start(o op) said {
	if known, ok := t.starts[o.command]; ok {
		return again(known, o)
	}
	if t.session(o.session) != nil {
		return said{code: -32030, reason: "session_id_conflict"}
	}
	parent := t.session(o.below)
	switch {
	case !o.below.IsZero() && parent == nil:
		return said{code: -32020}
	case parent != nil && parent.closed:
		return said{code: -32030, reason: "session_closed"}
	}
	mode := o.mode
	switch {
	case mode == "" && parent != nil:
		mode = parent.mode
	case mode == "":
		mode = t.configured
	}
	refused := !within(mode, t.ceiling)
	if o.fromAgent {
		refused = !within(mode, t.configured) || mode == "onRequest" && t.configured != "onRequest"
	}
	if parent != nil && o.mode == "" {
		refused = false // its parent's, which the strictest of both binds anyway
	}
	if refused && t.startRefusals >= t.maxRefusals {
		return said{code: -32001}
	}
	answer := said{code: -32030, reason: "approval_mode_ceiling", wrote: true}
	if refused {
		t.startRefusals++
	} else {
		t.startRefusals = 0
		id := o.session
		if id.IsZero() {
			id = t.mint()
		}
		t.sessions = append(t.sessions, &twinSession{
			id: id, mode: mode, refuse: o.refuse == "refuse", cancelOnDisconnect: o.cancelOnDisconnect,
			parent: parent, inherits: !o.without, ledger: map[int]twinEntry{},
		})
		answer = said{id: id, wrote: true}
	}
	t.starts[o.command] = twinEntry{o.payload(), answer}
	return answer
}

// command carries out a command that is new to its session; recorded says
// whether a refusal is.
func (t *twin) command(s *twinSession, o op) (answer said, recorded bool) {
	if _, settles := settlings[o.what]; settles {
		return s.promptSettled(o), false
	}
	if s.closed && o.what != "decide" && o.what != "consume" {
		return said{code: -32030, reason: "session_closed"}, false
	}
	switch o.what {
	case "open":
		return t.opened(s, o)
	case "ask":
		return t.asked(s, o)
	case "catalog":
		return t.catalogOpened(s, o), false
	case "update":
		return t.catalogUpdated(s, o)
	case "closeCatalog":
		return t.catalogEnded(s, o), false
	case "complete":
		return t.turnCompleted(s, o)
	case "turn":
		return t.begin(s)
	case "stop":
		return s.interrupt(o)
	case "decide":
		return t.decided(s, o)
	case "consume":
		return s.consumed(o)
	case "prepare":
		return t.prepare(s, o)
	case "consumeAll":
		return t.consumeAll(s, o)
	case "cancel":
		return t.cancelIn(s, o), false
	case "revoke":
		return t.revoked(s, o), false
	case "close":
		for _, in := range t.family(s) {
			in.endAll(ended("cancelled", "abort", "deny", "policy", "session"))
			endPrompts(in.waiting(), "cancelled")
			if in.open != "" {
				in.ends(in.open)
			}
			in.closed = true
		}
		return said{}, false
	}
	switch { // setMode
	case !within(o.mode, t.ceiling):
		return said{code: -32030, reason: "approval_mode_ceiling"}, true
	case o.mode == s.mode:
		return said{effect: "noop"}, false
	}
	s.mode = o.mode
	return said{effect: "completed"}, false
}

func (t *twin) opened(s *twinSession, o op) (answer said, recorded bool) {
	if len(s.pending()) >= t.maxPending {
		return said{code: -32031}, false
	}
	a := &twinApproval{
		what: o.subject, requested: o.requested, call: o.call, parent: o.parent, turn: cmp.Or(o.turn, s.open), run: o.run, hosted: o.hosted,
		refuse: o.refuse == "refuse" || o.refuse == "" && s.refuse,
	}
	if refusal, recorded := t.placed(s, a, o.catalog); refusal.code != 0 {
		return refusal, recorded
	}
	a.id = t.mint()
	a.turn = cmp.Or(a.turn, a.id.String())
	if a.call == "" {
		a.call = s.number(a.parent)
	}
	if o.timeout > 0 {
		a.deadline = t.now.Add(o.timeout)
	}
	t.open(s, a, false)
	return said{id: a.id, call: a.call, end: a.end}, false
}

// decided makes the checks in the order of protocol §3.
func (t *twin) decided(s *twinSession, o op) (answer said, recorded bool) {
	a := s.approval(o.approval)
	switch {
	case a == nil && s.closed:
		return said{code: -32030, reason: "session_closed"}, false
	case a == nil:
		return said{code: -32050}, false
	case a.end != nil:
		return said{code: -32051}, false
	case o.requirement != a.current():
		return said{code: -32053}, true
	case !slices.Contains(a.menu(), o.choice):
		return said{code: -32052}, true
	case o.feedback && o.choice != "abort":
		return said{code: -32602}, false
	case pool[a.what].guarded && o.choice != "abort" && !t.attended:
		return said{code: -32054}, false
	}
	once := ended("allowedOnce", "approved", "allow", "user", "reviewer")
	switch o.choice {
	case "abort":
		a.end = ended("rejected", "abort", "deny", "user", "reviewer")
	case "allow_session":
		a.end = ended("allowedSession", "approvedForSession", "allow", "user", "reviewer")
		t.given(s, a, false)
	case pool[a.what].local:
		a.end = ended("allowedPersistent", "approvedPolicyAmendment", "allow", "user", "reviewer")
		t.given(s, a, true)
	case "allow_all_once":
		a.end = once
	case "allow_once":
		if len(a.stages) > 0 {
			a.stages[a.current()] = 'd'
		}
		if a.openStages() == 0 {
			a.end = once
		}
	}
	return said{terminal: a.end != nil}, false
}

// consumed is protocol §7, approval/consume.
func (s *twinSession) consumed(o op) (answer said, recorded bool) {
	a := s.approval(o.approval)
	switch {
	case a == nil:
		return said{code: -32050}, false
	case a.end == nil:
		return said{code: -32092}, false
	case a.taken:
		return said{code: -32091}, true
	}
	reason := a.void
	switch {
	case a.end.outcome == "superseded":
		reason = "superseded"
	case s.closed:
		reason = "sessionClosed"
	case reason != "":
	case o.differs == "call":
		reason = "callMismatch"
	case o.differs == "args":
		reason = "argsMismatch"
	case o.differs == "subject":
		reason = "subjectMismatch"
	case o.differs == "target" && a.end.result == "allow": // a denial permits nothing that could have changed
		reason = "targetChanged"
	}
	if reason != "" {
		return said{code: -32093, reason: reason}, true
	}
	a.taken = true
	return said{end: ended(a.end.outcome, a.end.decision, a.end.result, "", ""), permit: a.end.result == "allow"}, false
}

// cancelIn settles what is pending in reach, and voids what is permitted there.
func (t *twin) cancelIn(s *twinSession, o op) said {
	if !o.approval.IsZero() && s.approval(o.approval) == nil {
		return said{code: -32050}
	}
	var in []string
	if o.call != "" {
		in = s.calls(o.call)
	}
	reach := []*twinSession{s}
	void := "callEnded"
	switch {
	case o.all:
		reach = t.family(s)
	case o.turn != "":
		void = "turnEnded"
	}
	var answer said
	for _, session := range reach {
		for _, a := range session.approvals {
			switch {
			case session.closed: // which ended all of it
			case !o.all && a.id != o.approval && !slices.Contains(in, a.call) && (o.turn == "" || !s.inTurn(a.turn, a.parent, o.turn)):
			case a.end == nil:
				a.end = ended("cancelled", "abort", "deny", "policy", "agent")
				answer.cancelled = append(answer.cancelled, a.id)
			case a.permits():
				a.void = void
			}
		}
		prompts := session.promptsIn(in)
		switch {
		case o.all:
			prompts = session.waiting()
		case o.turn != "":
			prompts = session.promptsOf(o.turn)
		}
		endPrompts(prompts, "cancelled")
		for _, p := range prompts {
			answer.cancelled = append(answer.cancelled, p.id)
		}
	}
	return answer
}

func (t *twin) agentGone(s *twinSession) said {
	if s == nil || !s.cancelOnDisconnect {
		return said{}
	}
	var answer said
	for _, in := range t.family(s) {
		answer.wrote = in.endAll(ended("cancelled", "abort", "deny", "policy", "agent")) || answer.wrote
		answer.wrote = endPrompts(in.waiting(), "cancelled") || answer.wrote
		if in.open != "" && !in.hosted {
			in.stop(in.open)
			answer.wrote = true
		}
	}
	return answer
}

// reviewersGone is about one approval, or about all of a session that nobody
// attends.
func (t *twin) reviewersGone(s *twinSession, o op) said {
	var answer said
	if s == nil || o.approval.IsZero() && t.attended {
		return answer
	}
	for _, a := range s.pending() {
		if a.refuse && (o.approval.IsZero() || a.id == o.approval) {
			a.end = ended("unavailable", "denied", "deny", "policy", "unattended")
			answer.wrote = true
		}
	}
	return answer
}

// recover is protocol §8.
func (t *twin) recover(s *twinSession) said {
	var answer said
	if s == nil {
		return answer
	}
	for _, a := range s.approvals {
		if pool[a.what].guarded && a.permits() && !s.closed {
			a.void, answer.wrote = "protectedWriteRestart", true
		}
	}
	answer.wrote = t.lose(s) || answer.wrote
	answer.wrote = s.loseHosted() || answer.wrote
	for _, a := range s.pending() {
		answer.wrote = true
		if !a.deadline.IsZero() && !t.now.Before(a.deadline) {
			a.end = ended("timedOut", "timedOut", "deny", "policy", "deadline")
			continue
		}
		next := *a
		next.id = approval.Successor(s.id, a.id, t.openedAt(a.id))
		a.end = ended("superseded", "abort", "deny", "policy", "recovery")
		a.end.successor = next.id
		t.open(s, &next, true)
	}
	answer.wrote = s.overdue(t.now) || answer.wrote
	return answer
}
