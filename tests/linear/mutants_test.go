package linear

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/approvald/approvald/wire"
)

// A mutant alters one answer of a history that was accepted. alter gives another
// answer for operation i; "" where the mutant has nothing to do with it. What it
// gives contradicts something else that was answered, so that no order of the
// operations explains it.
type mutant struct {
	name  string
	alter func(r recorded, i int) string
}

// mutants are the lies that a checker must not believe.
var mutants = []mutant{
	{"an acknowledged decision is refused as too late", func(r recorded, i int) string {
		o := r.operations[i]
		if !settled(o) || !r.certain(o.input) || r.sentAgain(i) {
			return ""
		}
		return refused(wire.CodeApprovalAlreadyResolved, "approved", "user", "allowedOnce", r.story.endedAt[o.input.target])
	}},
	{"a decision is lost", func(r recorded, i int) string {
		o := r.operations[i]
		if o.client == observer && o.input.what == wire.MethodApprovalAwait && strings.Contains(o.answer, "by user") {
			return "[pending]"
		}
		return ""
	}},
	{"two decisions win", func(r recorded, i int) string {
		o := r.operations[i]
		won := r.find(func(other operation) bool {
			return other.input.target == o.input.target && settled(other)
		})
		if won >= 0 && o.input.what == wire.MethodApprovalDecide && strings.HasPrefix(o.answer, "refused -32051") {
			return r.operations[won].answer
		}
		return ""
	}},
	{"a decision does not say that it was the last", func(r recorded, i int) string {
		if o := r.operations[i]; settled(o) {
			return strings.Replace(o.answer, "true", "false", 1)
		}
		return ""
	}},
	{"a list shows what was acknowledged as settled", func(r recorded, i int) string {
		o := r.operations[i]
		if o.input.what != wire.MethodApprovalListPending {
			return ""
		}
		old := r.find(func(other operation) bool {
			return other.input.what == wire.MethodApprovalListPending && r.find(func(d operation) bool {
				return settled(d) && other.ret < d.call && d.ret < o.call && strings.Contains(other.answer, d.input.target)
			}) >= 0
		})
		if old < 0 {
			return ""
		}
		return r.operations[old].answer
	}},
	{"a list leaves out what was read back as pending", func(r recorded, i int) string {
		o := r.operations[i]
		first, rest, ok := strings.Cut(strings.TrimPrefix(o.answer, "pending ["), ", ")
		if o.input.what != wire.MethodApprovalListPending || !ok {
			return ""
		}
		shows := func(other operation) bool {
			return strings.HasPrefix(other.answer, "pending") && strings.Contains(other.answer, first)
		}
		if r.find(func(before operation) bool { return before.ret < o.call && shows(before) }) < 0 ||
			r.find(func(after operation) bool { return after.call > o.ret && shows(after) }) < 0 {
			return ""
		}
		return "pending [" + rest
	}},
	{"a list is not in the order of opening", func(r recorded, i int) string {
		o := r.operations[i]
		rows := strings.Split(strings.TrimSuffix(strings.TrimPrefix(o.answer, "pending ["), "]"), ", ")
		if o.input.what != wire.MethodApprovalListPending || len(rows) < 2 {
			return ""
		}
		slices.Reverse(rows)
		return "pending [" + strings.Join(rows, ", ") + "]"
	}},
	{"a permit is given twice", func(r recorded, i int) string {
		o := r.operations[i]
		taken := r.find(func(other operation) bool {
			return other.input.target == o.input.target && strings.HasPrefix(other.answer, "consumed")
		})
		if taken < 0 || !strings.HasPrefix(o.answer, "refused -32091") {
			return ""
		}
		return r.operations[taken].answer
	}},
	{"a void permit is given", func(r recorded, i int) string {
		o := r.operations[i]
		if o.client != observer || !strings.HasSuffix(o.answer, string(wire.ReasonCallEnded)) {
			return ""
		}
		return "consumed: allow allowedOnce approved"
	}},
	{"a command that was carried out is refused when it is sent again", func(r recorded, i int) string {
		o := r.operations[i]
		if !decided(o) || !r.saidBefore(i) {
			return ""
		}
		return refused(wire.CodeApprovalAlreadyResolved, "approved", "user", "allowedOnce", r.story.endedAt[o.input.target])
	}},
	{"an opening that is sent again opens another", func(r recorded, i int) string {
		o := r.operations[i]
		if o.input.what != wire.MethodApprovalOpen || !strings.HasPrefix(o.answer, "opened") || !r.sentAgain(i) {
			return ""
		}
		return anyID.ReplaceAllString(o.answer, wherever)
	}},
	{"a recorded refusal is another one when it is sent again", func(r recorded, i int) string {
		o := r.operations[i]
		if !strings.HasPrefix(o.answer, "refused -32053") || !r.saidBefore(i) {
			return ""
		}
		return refused(wire.CodeApprovalChoiceInvalid)
	}},
	{"a cancellation does not name what it caught", func(r recorded, i int) string {
		o := r.operations[i]
		if o.input.what != wire.MethodApprovalCancel || o.answer == "cancelled []" || o.answer == "" || !r.certain(o.input) || r.sentAgain(i) {
			return ""
		}
		return "cancelled []"
	}},
	{"a successor is another one than follows from the log", func(r recorded, i int) string {
		if before, _, ok := strings.Cut(r.operations[i].answer, " successor "); ok && r.operations[i].client == observer {
			return before + " successor " + wherever + "]"
		}
		return ""
	}},
	{"the loser is told of another winner", func(r recorded, i int) string {
		answer := r.operations[i].answer
		if !strings.HasPrefix(answer, "refused -32051 approved ") {
			return ""
		}
		return strings.Replace(answer, "approved", "abort", 1)
	}},
	{"the requirement that is current is another", func(r recorded, i int) string {
		o := r.operations[i]
		if before, ok := strings.CutSuffix(o.answer, "current 1"); ok {
			return before + "current 0"
		}
		return ""
	}},
	{"feedback is lost on its way to the agent", func(r recorded, i int) string {
		before, _, ok := strings.Cut(r.operations[i].answer, ` "because of`)
		if ok && r.operations[i].client == observer {
			return before + "]"
		}
		return ""
	}},
}

var anyID = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

func decided(o operation) bool { return strings.HasPrefix(o.answer, "decided ") }

func settled(o operation) bool { return decided(o) && strings.HasSuffix(o.answer, "terminal true") }

// find is the first operation that has what is asked for; -1 for none.
func (r recorded) find(has func(operation) bool) int { return slices.IndexFunc(r.operations, has) }

// sentAgain reports whether the command of an operation was sent more than once.
func (r recorded) sentAgain(i int) bool {
	n := 0
	for _, o := range r.operations {
		if o.input.command == r.operations[i].input.command {
			n++
		}
	}
	return n > 1
}

// saidBefore reports whether the command had been given the same answer before
// it was sent again.
func (r recorded) saidBefore(i int) bool {
	o := r.operations[i]
	return r.find(func(other operation) bool {
		return other.input.command == o.input.command && other.answer == o.answer && other.ret < o.call
	}) >= 0
}

// certain reports whether all that was done about the same approval was answered.
func (r recorded) certain(in input) bool {
	return r.find(func(o operation) bool {
		return o.answer == "" && o.input.what != wire.MethodApprovalOpen && (o.input.target == in.target || o.input.target == "" || in.target == "")
	}) < 0
}

// enough is how many histories may be made to find an answer for every mutant.
const enough = 40

func TestLiesAreRejected(t *testing.T) {
	seed := seedOf(t)
	t.Logf("APPROVALD_LINEAR_SEED=%d", seed)
	killed := map[string]bool{}
	for n := range uint64(enough) {
		r := recordDaemon(t, plan{seed: seed + n, clients: 3, lives: 2, each: 100})
		missing := 0
		for _, m := range slices.Concat(mutants, batchMutants) {
			killed[m.name] = killed[m.name] || m.tried(t, r)
			if !killed[m.name] {
				missing++
			}
		}
		if missing == 0 {
			return
		}
	}
	for _, m := range slices.Concat(mutants, batchMutants) {
		if !killed[m.name] {
			t.Errorf("no history gave occasion to try: %s", m.name)
		}
	}
}

// tried alters one answer of a history, where there is one to alter, and holds
// that what comes of it is rejected.
func (m mutant) tried(t *testing.T, r recorded) bool {
	t.Helper()
	for i, o := range r.operations {
		answer := m.alter(r, i)
		if answer == "" {
			continue
		}
		lie := recorded{r.story, slices.Clone(r.operations)}
		lie.operations[i].answer = answer
		if got := lie.check(); got != porcupine.Illegal {
			t.Errorf("%s: %q for %q (%d to %d) is %s, want it rejected, in\n%s", m.name, answer, o.answer, o.call, o.ret, got, r)
		}
		return true
	}
	return false
}
