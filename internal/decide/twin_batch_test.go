package decide_test

import "github.com/approvald/approvald/internal/approval"

// batchCall is a request of a batch: a call, and what is the matter with it.
type batchCall struct {
	call, parent, turn string
	subject            int
	catalog            approval.ID
	odd                string // "": nothing; args, tool, unfit or stale
}

// batchItem is an approval of a batch that is to be consumed.
type batchItem struct {
	approval approval.ID
	differs  string // call, args or target; "" for none
	expect   string
}

// prepared is what the answer says of a request.
type prepared struct {
	id      approval.ID
	call    string
	created bool
	end     *ending
}

// taken is what the answer says of an item.
type taken struct {
	id        approval.ID
	result    string
	outcome   string
	consumed  bool
	permitted bool
}

// unconsumed is the oldest approval of a call of a run that somebody could still
// consume, now or when it is decided.
func (s *twinSession) unconsumed(run, call string) *twinApproval {
	for _, a := range s.approvals {
		if run != "" && a.run == run && a.call == call && !a.taken && a.void == "" && (a.end == nil || a.end.outcome != "superseded") {
			return a
		}
	}
	return nil
}

// prepare is protocol §7, approval/prepare.
func (t *twin) prepare(s *twinSession, o op) (answer said, recorded bool) {
	missing := 0
	for _, r := range o.batch {
		if s.unconsumed(o.run, r.call) != nil {
			continue
		}
		missing++
		if r.odd == "unfit" {
			return said{code: -32602}, false
		}
		if refusal, recorded := t.placed(s, &twinApproval{what: r.subject, parent: r.parent, turn: r.turn}, r.catalog); refusal.code != 0 {
			return refusal, recorded
		}
	}
	for _, r := range o.batch {
		a := s.unconsumed(o.run, r.call)
		switch {
		case a == nil && r.odd == "stale":
			return said{code: -32093, reason: "targetChanged"}, true
		case a != nil && (r.odd == "tool") != (a.odd == "tool"):
			return said{code: -32093, reason: "callMismatch"}, true
		case a != nil && (r.odd == "args") != (a.odd == "args"):
			return said{code: -32093, reason: "argsMismatch"}, true
		}
	}
	if missing > 0 && len(s.pending())+missing > t.maxPending {
		return said{code: -32031}, false
	}
	for _, r := range o.batch {
		a := s.unconsumed(o.run, r.call)
		one := prepared{created: a == nil}
		if a == nil {
			a = &twinApproval{
				id: t.mint(), what: r.subject, call: r.call, parent: r.parent, turn: r.turn, run: o.run, refuse: s.refuse,
			}
			if r.odd == "args" || r.odd == "tool" {
				a.odd = r.odd
			}
			t.placed(s, a, r.catalog)
			t.open(s, a, false)
			one.end = a.end
		}
		one.id, one.call = a.id, a.call
		answer.prepared = append(answer.prepared, one)
	}
	return answer, false
}

// consumeAll is protocol §7, approval/consumeAll.
func (t *twin) consumeAll(s *twinSession, o op) (answer said, recorded bool) {
	for _, item := range o.items {
		if s.approval(item.approval) == nil {
			return said{code: -32050}, false
		}
	}
	for _, item := range o.items {
		a := s.approval(item.approval)
		switch {
		case a.end != nil && a.end.outcome == "superseded":
			return said{code: -32093, reason: "superseded"}, true
		case a.run != o.run, item.differs == "call":
			return said{code: -32093, reason: "callMismatch"}, true
		case item.differs == "args":
			return said{code: -32093, reason: "argsMismatch"}, true
		}
	}
	for _, item := range o.items {
		if s.approval(item.approval).end == nil {
			return said{code: -32092}, false
		}
	}
	for _, item := range o.items {
		a := s.approval(item.approval)
		one := taken{id: a.id, result: a.end.result, outcome: a.end.outcome, consumed: true, permitted: a.end.result == "allow"}
		if a.taken || a.void != "" || item.expect != "" && item.expect != a.end.result || item.differs == "target" && one.permitted {
			one.result, one.consumed, one.permitted = "deny", false, false
		} else {
			a.taken = true
		}
		answer.taken = append(answer.taken, one)
	}
	return answer, false
}
