package linear

import (
	"fmt"
	"slices"
	"strings"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/wire"
)

// input is an operation as a client sent it.
type input struct {
	what    string // a method, or restart
	command string // commandId; "" for what only reads, and for restart

	subject  int      // open: an index into subjects
	call     string   // open, consume: toolCallId; every open has one of its own
	target   string   // decide, consume, cancel: an approval; cancel "": all
	targets  []string // await, consumeAll
	stage    int      // decide: the requirement that the client takes for current
	choice   wire.ChoiceID
	feedback string // decide
	digest   string // consume, consumeAll

	calls  []string          // prepare, consumeAll: toolCallIds
	expect wire.PolicyResult // consumeAll
}

// restart is the end of a daemon, of its own accord or not, and the start of
// the next one on the same state directory. It happens while nobody is connected.
const restart = "restart"

// writes reports whether the operation may change anything.
func (in input) writes() bool { return in.command != "" || in.what == restart }

// payload is everything about a command but its id.
func (in input) payload() string {
	switch in.what {
	case wire.MethodApprovalOpen:
		return fmt.Sprintf("open %s for %s", in.call, subjects[in.subject].name)
	case wire.MethodApprovalDecide:
		return fmt.Sprintf("decide %s stage %d %s %q", in.target, in.stage, in.choice, in.feedback)
	case wire.MethodApprovalCancel:
		if in.target == "" {
			return "cancel all"
		}
		return "cancel " + in.target
	case wire.MethodApprovalConsume:
		return fmt.Sprintf("consume %s for %s with %s", in.target, in.call, in.digest)
	case wire.MethodApprovalPrepare:
		return "prepare " + strings.Join(in.calls, " ")
	case wire.MethodApprovalConsumeAll:
		return fmt.Sprintf("take %s for %s with %s expecting %q", in.targets, in.calls, in.digest, in.expect)
	case wire.MethodApprovalAwait:
		return "await " + strings.Join(in.targets, " ")
	case wire.MethodApprovalListPending:
		return "list"
	}
	return in.what
}

// told is the reading of the whole view, at the very end.
const told = "told"

// model is the sequential specification of one session as its clients see it,
// written from protocol §3, §6, §7 and §8 alone.
type model struct {
	story *story
	// retried are the commands that are sent more than once; nobody can tell what
	// the ledger knows of the others, and the search is quicker without. nil: all.
	retried map[string]bool
}

// do carries an operation out: the state after it, and the answer in one line.
// It changes nothing that s holds.
func (m model) do(s *state, in input) (*state, string) {
	if in.what == restart {
		next := m.restart(s)
		if next.astray {
			return s, "not in the order of the view"
		}
		return next, "restarted"
	}
	if in.command == "" {
		return s, m.read(s, in)
	}
	if known, ok := s.ledger[in.command]; ok {
		if known.payload != in.payload() {
			return s, refused(wire.CodeCommandRejected, wire.ReasonCommandIDConflict)
		}
		return s, known.answer
	}
	next := s.edit()
	switch said, kept := m.change(next, in); {
	case next.astray:
		return s, "not in the order of the view"
	case !kept:
		return s, said
	default:
		if m.retried == nil || m.retried[in.command] {
			next.enter(in.command, entry{in.payload(), said})
		}
		return next, said
	}
}

// read answers what changes nothing.
func (m model) read(s *state, in input) string {
	switch in.what {
	case told:
		return fmt.Sprintf("%d events", s.at)
	case wire.MethodApprovalListPending:
		var rows []string
		for _, a := range s.pending() {
			rows = append(rows, fmt.Sprintf("%s stage %d", a.id, a.current()))
		}
		return "pending [" + strings.Join(rows, ", ") + "]"
	}
	var results []string
	for _, id := range in.targets {
		a, ok := s.approvals[id]
		switch {
		case !ok:
			return refused(wire.CodeApprovalNotFound)
		case a.pending():
			results = append(results, "pending")
		default:
			results = append(results, a.end.String())
		}
	}
	return "[" + strings.Join(results, "; ") + "]"
}

// change carries a new command out on s, which is the caller's own. kept says
// whether the ledger keeps the answer; where it does not, nothing was changed.
func (m model) change(s *state, in input) (said string, kept bool) {
	if in.what == wire.MethodApprovalOpen {
		return m.open(s, in)
	}
	if in.what == wire.MethodApprovalPrepare {
		return m.prepare(s, in), true
	}
	if in.what == wire.MethodApprovalConsumeAll {
		return m.consumeAll(s, in)
	}
	if in.what == wire.MethodApprovalCancel && in.target == "" {
		return m.cancelAll(s), true
	}
	a, ok := s.approvals[in.target]
	switch {
	case !ok:
		return refused(wire.CodeApprovalNotFound), false
	case in.what == wire.MethodApprovalDecide:
		return m.decide(s, a, in)
	case in.what == wire.MethodApprovalConsume:
		return m.consume(s, a, in)
	}
	return m.cancel(s, a), true
}

func (m model) open(s *state, in input) (string, bool) {
	a := appr{id: m.story.opening[in.call], call: in.call, subject: in.subject, stages: subjects[in.subject].stages}
	a.opened = m.story.openedAt[a.id]
	m.happens(s, opens, a)
	said := "pending"
	if s.grants[in.subject] {
		a.end = byGrant
		said = a.end.String()
		m.happens(s, settles, a)
	}
	s.set(a)
	return fmt.Sprintf("opened %s for %s with %s: %s", a.id, in.call, argsDigest, said), true
}

// decide checks in the order of protocol §3.
func (m model) decide(s *state, a appr, in input) (string, bool) {
	switch {
	case !a.pending():
		return m.settledAlready(a), false
	case in.stage != a.current():
		return refused(wire.CodeApprovalRequirementStale, "current", a.current()), true
	case !slices.Contains(a.menu(), in.choice):
		return refused(wire.CodeApprovalChoiceInvalid), true
	case in.feedback != "" && in.choice != wire.ChoiceAbort:
		return refused(wire.CodeInvalidParams), false
	}
	switch in.choice {
	case wire.ChoiceAllowOnce:
		a = m.settleStages(s, a, 1)
		if !strings.Contains(a.stages, "o") {
			m.end(s, a, byReviewer(wire.OutcomeAllowedOnce, wire.DecisionApproved))
		}
	case wire.ChoiceAllowAllOnce:
		m.end(s, m.settleStages(s, a, len(a.stages)), byReviewer(wire.OutcomeAllowedOnce, wire.DecisionApproved))
	case wire.ChoiceAllowSession:
		m.end(s, a, byReviewer(wire.OutcomeAllowedSession, wire.DecisionApprovedForSession))
		s.grant(a.subject)
		for _, b := range s.pending() {
			if b.subject == a.subject { // policy.md: a grant settles what waits
				m.end(s, m.settleStages(s, b, len(b.stages)), byGrant)
			}
		}
	default:
		rejected := byReviewer(wire.OutcomeRejected, wire.DecisionAbort)
		rejected.feedback = in.feedback
		m.end(s, a, rejected)
	}
	return fmt.Sprintf("decided %s terminal %t", a.id, !s.approvals[a.id].pending()), true
}

// settleStages settles the first n stages that are open.
func (m model) settleStages(s *state, a appr, n int) appr {
	for ; n > 0 && strings.Contains(a.stages, "o"); n-- {
		a.stages = strings.Replace(a.stages, "o", "d", 1)
		m.happens(s, stages, a)
	}
	s.set(a)
	return a
}

func (m model) end(s *state, a appr, how ending) {
	a.end = how
	m.happens(s, settles, a)
	s.set(a)
}

// happens is one event of the view. In the story it is the next one, or the
// operation does not belong here.
func (m model) happens(s *state, what string, a appr) {
	event := what + a.id
	if m.story.writing {
		m.story.events = append(m.story.events, event)
	}
	if s.at >= len(m.story.events) || m.story.events[s.at] != event {
		s.astray = true
	}
	s.at++
}

// settledAlready is what a late decider is told: who won.
func (m model) settledAlready(a appr) string {
	return refused(wire.CodeApprovalAlreadyResolved, a.end.decision, a.end.by, a.end.outcome, m.story.endedAt[a.id])
}

func (m model) cancel(s *state, a appr) string {
	if a.pending() {
		m.end(s, a, byAgent)
		return "cancelled [" + a.id + "]"
	}
	s.void(a)
	return "cancelled []"
}

func (m model) cancelAll(s *state) string {
	for _, a := range s.approvals {
		s.void(a)
	}
	var cancelled []string
	for _, a := range s.pending() {
		m.end(s, a, byAgent)
		cancelled = append(cancelled, a.id)
	}
	return "cancelled [" + strings.Join(cancelled, " ") + "]"
}

func (m model) consume(s *state, a appr, in input) (string, bool) {
	switch {
	case a.pending():
		return refused(wire.CodeApprovalPending), false
	case a.consumed:
		return refused(wire.CodeApprovalAlreadyConsumed), true
	case a.end.successor != "":
		return refused(wire.CodeApprovalMismatch, wire.ReasonSuperseded, a.end.successor), true
	case a.void:
		return refused(wire.CodeApprovalMismatch, wire.ReasonCallEnded), true
	case in.call != a.call:
		return refused(wire.CodeApprovalMismatch, wire.ReasonCallMismatch), true
	case in.digest != argsDigest:
		return refused(wire.CodeApprovalMismatch, wire.ReasonArgsMismatch), true
	}
	a.consumed = true
	s.set(a)
	return fmt.Sprintf("consumed: %s %s %s", a.end.result, a.end.outcome, a.end.decision), true
}

// restart supersedes what waits and opens it again, its stages undecided
// (protocol §8). Grants and permits stay.
func (m model) restart(s *state) *state {
	next := s.edit()
	for _, a := range s.pending() {
		old, err := approval.ParseID(a.id)
		if err != nil {
			panic(err)
		}
		successor := approval.Successor(m.story.session, old, a.opened).String()
		again := appr{
			id: successor, call: a.call, run: a.run, subject: a.subject, stages: subjects[a.subject].stages,
			opened: m.story.openedAt[successor],
		}
		superseded := byRestart
		superseded.successor = successor
		m.end(next, a, superseded)
		m.happens(next, opens, again)
		next.set(again)
	}
	return next
}

// refused is a refusal in one line.
func refused(code int, details ...any) string {
	return strings.TrimSpace(fmt.Sprintf("refused %d %s", code, fmt.Sprintln(details...)))
}
