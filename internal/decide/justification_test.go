package decide_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/policy"
	"github.com/approvald/approvald/wire"
)

// What stands in for a justification that the agent did not give is the reason of the
// requirement that is put, in whatever way it comes to be put: else a surface, which
// tells the two apart by comparing them, would show an earlier reason of policy as the
// words of the model.
func TestPolicysReasonIsNeverTheWordsOfTheModel(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(w *world, session, id approval.ID)
		asks int // requests behind the first
	}{
		{"a later stage", func(w *world, session, id approval.ID) { w.choose(session, id, 0, wire.ChoiceAllowOnce) }, 1},
		{"a rule that came between stages", func(w *world, session, id approval.ID) {
			w.rules(rule(policy.Ask, "b"))
			w.choose(session, id, 0, wire.ChoiceAllowOnce)
		}, 1},
		{"a stage that a rule settles", func(w *world, session, _ approval.ID) {
			w.rules(rule(policy.Allow, "a"))
			w.do(decide.PolicyChanged{Session: session})
		}, 1},
		{"a successor in another mode", func(w *world, session, id approval.ID) {
			w.choose(session, id, 0, wire.ChoiceAllowOnce)
			w.do(decide.SetMode{Intent: w.intent(), Session: session, Mode: approval.OnRequest})
			w.do(decide.Recover{Session: session})
		}, 2},
		{"a successor of a successor", func(w *world, session, _ approval.ID) {
			w.do(decide.Recover{Session: session})
			w.rules(rule(policy.Ask, "a"))
			w.do(decide.Recover{Session: session})
		}, 2},
	} {
		for _, given := range []string{"", "so says the model"} {
			t.Run(c.name+" "+given, func(t *testing.T) {
				w := newWorld(t)
				session := w.start("")
				id := w.open(session, shell("a; b; c"), func(o *decide.Open) {
					o.Action.Justification, o.Action.Requested = given, true
				})
				c.do(w, session, id)
				asked := 0
				for _, p := range w.requests() {
					asked++
					want := given
					if given == "" {
						want = p.Policy.Explanation
					}
					if diff := cmp.Diff(want, p.Justification); diff != "" {
						t.Errorf("requirement %d of %s (-want +got):\n%s", p.CurrentRequirementID.SourceIndex, p.ApprovalID, diff)
					}
				}
				if asked != 1+c.asks {
					t.Errorf("%d requests, want %d", asked, 1+c.asks)
				}
			})
		}
	}
}

func rule(e policy.Effect, program string) policy.Rule {
	return policy.Rule{Effect: e, Kind: approval.KindShell, HasArgv: true, Argv: []string{program}}
}

// requests are what reviewers were asked so far, and what they would be asked now.
func (w *world) requests() (all []*wire.ApprovalRequest) {
	w.t.Helper()
	for _, r := range w.log {
		opening := r
		if seq := fold.OpeningOf(r); seq != 0 {
			opening = w.log[seq-1]
		}
		for _, e := range fold.Events(r, opening, w.session(r.Session).Lineage) {
			if p, ok := e.Params.(*wire.ApprovalRequest); ok {
				all = append(all, p)
			}
		}
	}
	return all
}

const saysTheModel = "so says the model"

// given is how the agents of the model justify what they open: half of it not at all.
func given(what int) string {
	if what%2 == 0 {
		return ""
	}
	return saysTheModel
}
