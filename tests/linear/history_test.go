package linear

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// operation is one that a client sent, from just before it was sent until just
// after the answer was read.
type operation struct {
	client    int
	input     input
	call, ret int64  // moments of the history's clock
	answer    string // "": none came, and by ret it had happened or never would
}

// history is what a number of clients did at once. Its clock counts: no two
// moments are the same, and what ended before something began has the lower one.
type history struct {
	mu         sync.Mutex
	clock      int64
	operations []*operation
}

// begins notes that an operation is about to be sent.
func (h *history) begins(client int, in input) *operation {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.clock++
	o := &operation{client: client, input: in, call: h.clock}
	h.operations = append(h.operations, o)
	return o
}

// ends notes what was said to an operation; "" that nothing more will be.
func (h *history) ends(o *operation, answer string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.clock++
	o.ret, o.answer = h.clock, answer
}

// endAll notes that whatever has no answer gets none.
func (h *history) endAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.clock++
	for _, o := range h.operations {
		if o.ret == 0 {
			o.ret = h.clock
		}
	}
}

// recorded is a history that is over, with the story that goes with it.
type recorded struct {
	story      *story
	operations []operation
}

// over gives what was recorded. A read that nobody answered tells nothing.
func (h *history) over(s *story) recorded {
	r := recorded{story: s}
	for _, o := range h.operations {
		if o.answer != "" || o.input.writes() {
			r.operations = append(r.operations, *o)
		}
	}
	return r
}

// patience bounds one search. One that accepts takes a fraction of it; where
// everything has to be tried it can run out, and nothing is known.
const patience = 20 * time.Second

// check reports whether the history is one of a daemon that did each operation
// at one moment between call and return, or never where no answer came.
func (r recorded) check() porcupine.CheckResult {
	return porcupine.CheckOperationsTimeout(r.model(), r.porcupine(), patience)
}

// porcupine is the history in the words of the checker. A command without an
// answer is two steps that always succeed: behind the one it may be carried out,
// behind the other it may not. They stand around everything that overlaps the
// ends of the time in which it may be, which step holds to; between them the
// search would try every order of them and what they overlap.
func (r recorded) porcupine() (out []porcupine.Operation) {
	for _, o := range r.operations {
		if o.answer != "" {
			out = append(out, porcupine.Operation{ClientId: o.client, Input: o, Call: 2 * o.call, Return: 2 * o.ret})
			continue
		}
		from, until := o.call, o.ret
		for _, other := range r.operations {
			if other.call < o.call && o.call < other.ret {
				from = min(from, other.call)
			}
			if other.call < o.ret && o.ret < other.ret {
				until = max(until, other.ret)
			}
		}
		out = append(out,
			porcupine.Operation{ClientId: o.client, Input: takesOff(o), Call: 2*from - 1, Return: 2*from - 1},
			porcupine.Operation{ClientId: o.client, Input: lands(o), Call: 2*until + 1, Return: 2*until + 1})
	}
	return out
}

// takesOff and lands are the two steps.
type (
	takesOff operation
	lands    operation
)

// model is the specification as porcupine asks for it.
func (r recorded) model() porcupine.Model {
	m := model{story: r.story, retried: map[string]bool{}}
	seen := map[string]bool{}
	for _, o := range r.operations {
		m.retried[o.input.command] = seen[o.input.command]
		seen[o.input.command] = true
	}
	nondeterministic := porcupine.NondeterministicModel{
		Init:          func() []any { return []any{newState()} },
		Step:          func(s, step, _ any) []any { return m.step(s.(*state), step) }, //nolint:errcheck // as Init and Step put in
		Equal:         func(a, b any) bool { return equal(a.(*state), b.(*state)) },   //nolint:errcheck // likewise
		Hash:          func(s any) uint64 { return s.(*state).hash },                  //nolint:errcheck // likewise
		DescribeState: func(s any) string { return m.read(s.(*state), listing) },      //nolint:errcheck // likewise
		DescribeOperation: func(step, _ any) string {
			switch o := step.(type) {
			case operation:
				return o.input.payload() + ": " + o.answer
			case takesOff:
				return o.input.payload() + ": from here on, or never"
			case lands:
				return o.input.payload() + ": until here, or never"
			}
			return ""
		},
	}
	return nondeterministic.ToModel()
}

// step is one step of the search: the states in which s may be afterwards.
// Commands without an answer may have been carried out just before.
func (m model) step(s *state, step any) (after []any) {
	switch o := step.(type) {
	case takesOff:
		next := s.edit()
		next.flying = maps.Clone(s.flying)
		next.flying[o.call] = operation(o)
		return []any{next}
	case lands:
		for _, before := range m.carryOutFlying(s) {
			next := before.edit()
			next.flying = maps.Clone(before.flying)
			delete(next.flying, o.call)
			after = append(after, next)
		}
	case operation:
		for _, before := range m.carryOutFlying(s) {
			if next, want := m.do(before, o.input); want == o.answer && o.ret > before.least {
				next = next.edit()
				next.most = max(next.most, o.call)
				after = append(after, next)
			}
		}
	}
	return after
}

// carryOutFlying is s, and every state that it may have become by commands that
// got no answer. What comes before another must not begin after that has ended.
func (m model) carryOutFlying(s *state) []*state {
	all := []*state{s}
	for i := 0; i < len(all); i++ {
		for call, o := range all[i].flying {
			next, _ := m.do(all[i], o.input)
			if next == all[i] || o.ret < next.most || o.ret < next.least {
				continue
			}
			next.flying = maps.Clone(next.flying)
			delete(next.flying, call)
			next.most, next.least = max(next.most, o.call), max(next.least, o.call)
			if !slices.ContainsFunc(all, func(other *state) bool { return equal(other, next) }) {
				all = append(all, next)
			}
		}
	}
	return all
}

// shortest is the shortest beginning of a history that is not accepted, without
// most of the reads that it can do without. Rejecting takes longer than
// accepting, so that the search for less is given up after a while.
func (r recorded) shortest() recorded {
	moments := make([]int64, 0, len(r.operations))
	for _, o := range r.operations {
		moments = append(moments, o.ret)
	}
	slices.Sort(moments)
	n := sort.Search(len(moments)-1, func(n int) bool { return r.until(moments[n]).check() == porcupine.Illegal })
	short := r.until(moments[n])
	giveUp := time.Now().Add(patience)
	for size := len(short.operations); size > 0; size /= 2 {
		for from := 0; from < len(short.operations) && time.Now().Before(giveUp); from += size {
			without := recorded{story: short.story}
			for i, o := range short.operations {
				if o.input.writes() || i < from || i >= from+size {
					without.operations = append(without.operations, o)
				}
			}
			if len(without.operations) < len(short.operations) && without.check() == porcupine.Illegal {
				short = without
			}
		}
	}
	return short
}

// until is what was known at a moment.
func (r recorded) until(moment int64) recorded {
	out := recorded{story: r.story}
	for _, o := range r.operations {
		if o.call > moment {
			continue
		}
		if o.ret > moment {
			if !o.input.writes() {
				continue
			}
			o.ret, o.answer = moment, ""
		}
		out.operations = append(out.operations, o)
	}
	return out
}

// String lists the operations in the order of their answers, an approval by a
// short name.
func (r recorded) String() string {
	sorted := slices.Clone(r.operations)
	slices.SortFunc(sorted, func(a, b operation) int { return cmp.Compare(a.ret, b.ret) })
	var text strings.Builder
	for _, o := range sorted {
		command := ""
		if o.input.command != "" {
			command = "…" + o.input.command[max(0, len(o.input.command)-6):]
		}
		fmt.Fprintf(&text, "%5d to %5d  client %d  %-7s  %s -> %s\n", o.call, o.ret, o.client, command, o.input.payload(), cmp.Or(o.answer, "?"))
	}
	ids := make([]string, 0, len(r.story.openedAt))
	for id := range r.story.openedAt {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int { return cmp.Compare(r.story.openedAt[a], r.story.openedAt[b]) })
	var names []string
	for _, id := range ids {
		names = append(names, id, fmt.Sprintf("A%d", r.story.openedAt[id]))
	}
	return strings.NewReplacer(append(names, argsDigest, "its arguments")...).Replace(text.String())
}
