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
	targets  []string // await
	stage    int      // decide: the requirement that the client takes for current
	choice   wire.ChoiceID
	feedback string // decide
	digest   string // consume
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
	case wire.MethodApprovalAwait:
		return "await " + strings.Join(in.targets, " ")
	case wire.MethodApprovalListPending:
		return "list"
	}
	return in.what
}

// story is what view/page tells in the end: which approvals came to be, where
// in the log, and where they ended. It tells what the model cannot know, the
// ids; an approval that a client met and the story does not have is a violation.
type story struct {
	session  approval.ID
	opening  map[string]string // approval by toolCallId; successors are not in it
	openedAt map[string]uint64 // sequence of the opening record
	endedAt  map[string]string // view cursor of approval/resolved
}

func newStory(session approval.ID) *story {
	return &story{session, map[string]string{}, map[string]uint64{}, map[string]string{}}
}

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
		return m.restart(s), "restarted"
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
	said, kept := m.change(next, in)
	if !kept {
		return s, said
	}
	if m.retried == nil || m.retried[in.command] {
		next.enter(in.command, entry{in.payload(), said})
	}
	return next, said
}

// read answers what changes nothing.
func (m model) read(s *state, in input) string {
	if in.what == wire.MethodApprovalListPending {
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
	id, ok := m.story.opening[in.call]
	at := m.story.openedAt[id]
	if !ok || at <= s.last {
		return "not opened here", false // the story has it elsewhere, or not at all
	}
	a := appr{id: id, call: in.call, subject: in.subject, opened: at, stages: subjects[in.subject].stages}
	s.last = at
	said := fmt.Sprintf("opened %s for %s with %s: pending", id, in.call, argsDigest)
	if s.grants[in.subject] {
		a.end = byGrant
		said = fmt.Sprintf("opened %s for %s with %s: %s", id, in.call, argsDigest, a.end)
	}
	s.set(a)
	return said, true
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
		if a.stages = strings.Replace(a.stages, "o", "d", 1); !strings.Contains(a.stages, "o") {
			a.end = byReviewer(wire.OutcomeAllowedOnce, wire.DecisionApproved)
		}
	case wire.ChoiceAllowAllOnce:
		a.stages, a.end = strings.ReplaceAll(a.stages, "o", "d"), byReviewer(wire.OutcomeAllowedOnce, wire.DecisionApproved)
	case wire.ChoiceAllowSession:
		a.end = byReviewer(wire.OutcomeAllowedSession, wire.DecisionApprovedForSession)
		s.grant(a.subject)
		for _, b := range s.pending() {
			if b.subject == a.subject && b.id != a.id { // policy.md: a grant settles what waits
				b.end = byGrant
				s.set(b)
			}
		}
	default:
		a.end = byReviewer(wire.OutcomeRejected, wire.DecisionAbort)
		a.end.feedback = in.feedback
	}
	s.set(a)
	return fmt.Sprintf("decided %s terminal %t", a.id, !a.pending()), true
}

// settledAlready is what a late decider is told: who won.
func (m model) settledAlready(a appr) string {
	return refused(wire.CodeApprovalAlreadyResolved, a.end.decision, a.end.by, a.end.outcome, m.story.endedAt[a.id])
}

func (m model) cancel(s *state, a appr) string {
	if a.pending() {
		a.end = byAgent
		s.set(a)
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
		a.end = byAgent
		s.set(a)
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
			id: successor, call: a.call, subject: a.subject, stages: subjects[a.subject].stages,
			opened: m.story.openedAt[successor],
		}
		a.end = byRestart
		a.end.successor = successor
		next.set(a)
		next.set(again)
		next.last = max(next.last, again.opened)
	}
	return next
}

// refused is a refusal in one line.
func refused(code int, details ...any) string {
	return strings.TrimSpace(fmt.Sprintf("refused %d %s", code, fmt.Sprintln(details...)))
}
