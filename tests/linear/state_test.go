package linear

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"github.com/approvald/approvald/wire"
)

// state is one session between two operations. It is not changed once it is
// anybody else's: edit makes a copy to change.
type state struct {
	approvals map[string]appr
	grants    map[int]bool // by subject
	ledger    map[string]entry
	at        int     // events of the view so far
	astray    bool    // an event is not the one that the view has here
	hash      uint64  // of approvals, grants and ledger, whatever the order
	own       [3]bool // which of those nobody else has

	flying      map[int64]operation // commands without an answer that may be carried out yet, by moment of the call
	most, least int64               // the latest call of what was carried out, and of what of that got no answer
}

// appr is an approval. It is comparable.
type appr struct {
	id, call string
	subject  int
	opened   uint64 // sequence of its opening record
	stages   string // a letter each: open, done, safe; "" for what has none
	end      ending
	run      bool // opened for the run
	consumed bool
	void     bool // the permit
}

// ending is how an approval ended: the row of protocol §6's table of causes,
// and what the agent is told besides.
type ending struct {
	outcome  wire.Outcome
	decision wire.Decision
	result   wire.PolicyResult
	by       wire.ResolvedBy
	source   wire.Source

	feedback, successor string
}

// entry is what the ledger keeps of a command.
type entry struct{ payload, answer string }

var (
	byGrant   = ending{outcome: wire.OutcomeAllowedOnce, decision: wire.DecisionApproved, result: wire.PolicyAllow, by: "policy", source: "sessionGrant"}
	byAgent   = ending{outcome: wire.OutcomeCancelled, decision: wire.DecisionAbort, result: wire.PolicyDeny, by: "policy", source: "agent"}
	byRestart = ending{outcome: wire.OutcomeSuperseded, decision: wire.DecisionAbort, result: wire.PolicyDeny, by: "policy", source: "recovery"}
)

func byReviewer(outcome wire.Outcome, decision wire.Decision) ending {
	result := wire.PolicyAllow
	if outcome == wire.OutcomeRejected {
		result = wire.PolicyDeny
	}
	return ending{outcome: outcome, decision: decision, result: result, by: "user", source: "reviewer"}
}

func (e ending) String() string {
	text := fmt.Sprintf("%s %s %s by %s %s", e.outcome, e.decision, e.result, e.by, e.source)
	if e.feedback != "" {
		text += fmt.Sprintf(" %q", e.feedback)
	}
	if e.successor != "" {
		text += " successor " + e.successor
	}
	return text
}

// subject is what an approval is about: one a reach, as session grants have it.
type subject struct {
	name   string
	json   string
	stages string
	grants bool // whether a session grant can cover it
}

// subjects are of every kind that the model tells apart: in one piece, as a
// command of one stage, of two, of one beside a known safe one, and of a kind
// that nobody knows.
var subjects = func() (all []subject) {
	for n := range 4 {
		shell := func(command string) string {
			return fmt.Sprintf(`{"kind":"shell","command":%q,"cwd":"/"}`, command)
		}
		one, two, safe := fmt.Sprintf("make a%d", n), fmt.Sprintf("make b%d && make c", n), fmt.Sprintf("true && make d%d", n)
		tool, other := fmt.Sprintf("tool%d", n), fmt.Sprintf("kind%d", n)
		all = append(all,
			subject{tool, fmt.Sprintf(`{"kind":"tool","toolName":%q}`, tool), "", true},
			subject{one, shell(one), "o", true},
			subject{two, shell(two), "oo", true},
			subject{safe, shell(safe), "so", true},
			subject{other, fmt.Sprintf(`{"kind":%q}`, other), "", false},
		)
	}
	return all
}()

// rawArgs are those of every call, argsDigest what they come to (protocol §7
// "Digests").
const rawArgs = `{"n":1}`

var argsDigest = func() string {
	sum := sha256.Sum256([]byte(rawArgs))
	return "sha256:" + hex.EncodeToString(sum[:])
}()

func (a appr) pending() bool { return a.end == ending{} }

// current is the source index of the requirement that a decision must name.
func (a appr) current() int { return max(0, strings.IndexByte(a.stages, 'o')) }

// menu is the menu of the current requirement (protocol §6). Rules that persist
// are not on it: the session has no workspace to keep them.
func (a appr) menu() []wire.ChoiceID {
	menu := []wire.ChoiceID{wire.ChoiceAllowOnce}
	if strings.Count(a.stages, "o") >= 2 {
		menu = append(menu, wire.ChoiceAllowAllOnce)
	}
	if subjects[a.subject].grants {
		menu = append(menu, wire.ChoiceAllowSession)
	}
	return append(menu, wire.ChoiceAbort)
}

func newState() *state {
	return &state{approvals: map[string]appr{}, grants: map[int]bool{}, ledger: map[string]entry{}, flying: map[int64]operation{}}
}

// edit is a copy to change. What it shares with s is copied when it is changed.
func (s *state) edit() *state {
	next := *s
	next.own = [3]bool{}
	return &next
}

var hashSeed = maphash.MakeSeed()

func (s *state) set(a appr) {
	own(&s.own[0], &s.approvals)
	if old, ok := s.approvals[a.id]; ok {
		s.hash ^= maphash.Comparable(hashSeed, old)
	}
	s.approvals[a.id] = a
	s.hash ^= maphash.Comparable(hashSeed, a)
}

func (s *state) grant(subject int) {
	own(&s.own[1], &s.grants)
	if !s.grants[subject] {
		s.grants[subject] = true
		s.hash ^= maphash.Comparable(hashSeed, subject)
	}
}

func (s *state) enter(command string, e entry) {
	own(&s.own[2], &s.ledger)
	s.ledger[command] = e
	s.hash ^= maphash.Comparable(hashSeed, [3]string{command, e.payload, e.answer})
}

func own[K comparable, V any](has *bool, m *map[K]V) {
	if !*has {
		*has, *m = true, maps.Clone(*m)
	}
}

// void ends the permit of a settled approval, if it is one that nobody has taken.
func (s *state) void(a appr) {
	if a.end.result == wire.PolicyAllow && !a.consumed && !a.void {
		a.void = true
		s.set(a)
	}
}

// pending are the approvals that wait, in opening order.
func (s *state) pending() (waiting []appr) {
	for _, a := range s.approvals {
		if a.pending() {
			waiting = append(waiting, a)
		}
	}
	slices.SortFunc(waiting, func(a, b appr) int { return cmp.Compare(a.opened, b.opened) })
	return waiting
}

func equal(s, t *state) bool {
	return s.hash == t.hash && s.at == t.at && s.most == t.most && s.least == t.least &&
		maps.EqualFunc(s.flying, t.flying, func(a, b operation) bool { return a.call == b.call }) &&
		maps.Equal(s.approvals, t.approvals) && maps.Equal(s.grants, t.grants) && maps.Equal(s.ledger, t.ledger)
}
