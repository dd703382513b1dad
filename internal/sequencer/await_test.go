package sequencer_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

func TestAwait(t *testing.T) {
	// Approvals by their letters. "decide" are settled one after another; at is
	// after how many of them the await must be answered, 0 for at once, -1
	// for not at all.
	cases := map[string]struct {
		await  string
		any    bool
		decide string
		at     int
	}{
		"one":                                    {"a", false, "ba", 2},
		"all waits for the last":                 {"abc", false, "cab", 3},
		"any waits for the first":                {"abc", true, "dbc", 2},
		"all of a duplicate":                     {"aa", false, "a", 1},
		"all with a duplicate":                   {"aba", false, "ab", 2},
		"any of a duplicate waits":               {"aa", true, "ba", 2},
		"any with a duplicate waits":             {"aab", true, "cb", 2},
		"settled before":                         {"x", false, "", 0},
		"all but one settled before":             {"xay", false, "ba", 2},
		"any with one settled before":            {"abx", true, "", 0},
		"any of a duplicate settled before":      {"xx", true, "", 0},
		"all while others are settled":           {"ab", false, "cda", -1},
		"any while others are settled":           {"ab", true, "cd", -1},
		"the same twice in one group and others": {"ad", false, "abcd", 4},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := start(t, newLog())
			session := r.session()
			ids := map[rune]approval.ID{}
			for _, letter := range "abcdxy" {
				ids[letter] = r.open(session)
			}
			for _, letter := range "xy" {
				r.accepted(r.choose(session, ids[letter], wire.ChoiceAllowOnce))
			}
			var wanted []approval.ID
			for _, letter := range c.await {
				wanted = append(wanted, ids[letter])
			}
			answered := make(chan struct{}, 2)
			withdraw, unknown := r.Await(session, wanted, c.any, func() { answered <- struct{}{} })
			if unknown != nil {
				t.Fatalf("approval %s is not known", unknown)
			}
			// An await is answered before the next command is decided.
			for n, letter := range c.decide {
				if got, want := len(answered) == 1, c.at >= 0 && n >= c.at; got != want {
					t.Fatalf("after %d decisions: answered is %t", n, got)
				}
				r.accepted(r.choose(session, ids[letter], wire.ChoiceAllowOnce))
				r.session()
			}
			if got, want := len(answered), map[bool]int{true: 1, false: 0}[c.at >= 0]; got != want {
				t.Errorf("answered %d times in the end, want %d", got, want)
			}
			if before := withdraw(); before != (c.at < 0) {
				t.Errorf("withdraw came before the answer: %t", before)
			}
		})
	}
}

func TestAwaitNamesWhatIsUnknown(t *testing.T) {
	r := start(t, newLog())
	session, other := r.session(), r.session()
	id := r.open(session)
	for name, where := range map[string]approval.ID{"another session": other, "no session": numbered(1 << 40)} {
		_, unknown := r.Await(where, []approval.ID{id}, false, func() { t.Error("answered") })
		if unknown == nil || *unknown != id {
			t.Errorf("%s: unknown is %v", name, unknown)
		}
	}
	strange := numbered(1 << 41)
	_, unknown := r.Await(session, []approval.ID{id, strange}, true, func() { t.Error("answered") })
	if unknown == nil || *unknown != strange {
		t.Errorf("unknown is %v", unknown)
	}
	r.accepted(r.choose(session, id, wire.ChoiceAllowOnce)) // nothing is left that would answer
}

// One decision may end many awaits; they are answered in the order in which
// they came, each once.
func TestAwaitsAreAnsweredInTheOrderInWhichTheyCame(t *testing.T) {
	const awaits, approvals = 500, 100
	r := start(t, newLog())
	session := r.session()
	var ids []approval.ID
	for range approvals {
		ids = append(ids, r.open(session))
	}
	var got, want []int
	for i := range awaits {
		want = append(want, i)
		if _, unknown := r.Await(session, ids, true, func() { got = append(got, i) }); unknown != nil {
			t.Fatal("not known")
		}
	}
	r.accepted(decide.Cancel{Intent: r.intent(), Session: session, All: true})
	r.session() // Run has gone on: it will answer nothing more
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// Whoever ends an await first, it ends once: answered or withdrawn.
func TestWithdrawRacesWithTheAnswer(t *testing.T) {
	r := start(t, newLog())
	session := r.session()
	for round := range 200 {
		id := r.open(session)
		answered := make(chan struct{}, 2)
		withdraw, _ := r.Await(session, []approval.ID{id}, false, func() { answered <- struct{}{} })
		var wg sync.WaitGroup
		var withdrawn [2]bool
		for i := range withdrawn {
			wg.Go(func() { withdrawn[i] = withdraw() })
		}
		wg.Go(func() { r.accepted(r.choose(session, id, wire.ChoiceAllowOnce)) })
		wg.Wait()
		r.session() // Run has answered by now whom it answers
		ends := fmt.Sprint(len(answered), withdrawn)
		if ends != "1 [false false]" && ends != "0 [true false]" && ends != "0 [false true]" {
			t.Fatalf("round %d: answered, withdrawn = %s", round, ends)
		}
	}
}
