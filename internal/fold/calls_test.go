package fold_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
)

// opening is the part of an approval that says where in the run it belongs.
type opening struct{ call, parent, turn string }

func TestAnApprovalBelongsToItsCallAndToTheCallsAround(t *testing.T) {
	nested := []opening{
		{"a", "", "t1"},
		{"b", "a", "t2"},
		{"c", "b", "t3"},
		{"d", "unopened", "t4"},
		{"e", "", "t5"},
		{"x", "y", "t6"}, // a ring of two
		{"y", "x", "t7"},
		{"z", "z", "t8"}, // its own parent
		{"in the ring", "x", "t9"},
	}
	for _, c := range []struct {
		name     string
		openings []opening
		call     string // one of call and turn
		turn     string
		want     []string // tool calls of the approvals that belong to it
	}{
		{"a call and what is nested in it", nested, "a", "", []string{"a", "b", "c"}},
		{"not the calls above", nested, "b", "", []string{"b", "c"}},
		{"a call without nested ones", nested, "e", "", []string{"e"}},
		{"a call that asked for nothing itself", nested, "unopened", "", []string{"d"}},
		{"a ring of calls ends", nested, "x", "", []string{"x", "y", "in the ring"}},
		{"a call that is its own parent", nested, "z", "", []string{"z"}},
		{"a call that nobody made", nested, "nobody", "", nil},
		{"no call is empty text", nested, "", "", nil},
		{"a turn and the calls nested in its own", nested, "", "t1", []string{"a", "b", "c"}},
		{"a turn of a nested call", nested, "", "t2", []string{"b", "c"}},
		{"a turn within a ring", nested, "", "t7", []string{"x", "y", "in the ring"}},
		{"a turn that nobody made", nested, "", "t10", nil},
		{
			"a call that is opened again without its parent",
			[]opening{{"p", "", "t1"}, {"c", "p", "t2"}, {"c", "", "t3"}}, "p", "", []string{"p", "c"},
		},
		{
			"a turn's call that is opened again without its parent",
			[]opening{{"p", "", "t1"}, {"c", "p", "t2"}, {"c", "", "t3"}}, "", "t1", []string{"p", "c"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := new(fold.State)
			s.Apply(story[0])
			for i, o := range c.openings {
				r := about(approval.ID{15: byte(i + 1)}, opened, &record.ApprovalOpened{
					ToolCallID: o.call, ParentToolCallID: o.parent, TurnID: o.turn, Subject: []byte(`{"kind":"x"}`),
				})
				r.Seq = uint64(i + 2)
				s.Apply(r)
			}
			at, _ := s.Session(session)
			nest := at.InCall(c.call)
			if c.turn != "" {
				nest = at.InTurn(c.turn)
			}
			var got []string
			for _, a := range at.PendingApprovals() {
				if nest.Approval(a) {
					got = append(got, a.ToolCallID)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("approvals (-want +got):\n%s", diff)
			}
		})
	}
}

// What is asked about many approvals is what is asked about each by itself, in
// whatever order, however the calls hang together.
func TestANestRemembersWhatItHasFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := new(fold.State)
		s.Apply(story[0])
		name := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"})
		turns := rapid.SampledFrom([]string{"t1", "t2", "t3"})
		for i := range rapid.IntRange(1, 12).Draw(t, "openings") {
			parent := ""
			if rapid.Bool().Draw(t, "nested") {
				parent = name.Draw(t, "parent")
			}
			r := about(approval.ID{15: byte(i + 1)}, opened, &record.ApprovalOpened{
				ToolCallID: name.Draw(t, "call"), ParentToolCallID: parent, TurnID: turns.Draw(t, "turn"), Subject: []byte(`{"kind":"x"}`),
			})
			r.Seq = uint64(i + 2)
			s.Apply(r)
		}
		at, _ := s.Session(session)
		for _, nest := range []func() *fold.Nest{
			func() *fold.Nest { return at.InCall("a") }, func() *fold.Nest { return at.InTurn("t1") },
		} {
			whole := nest()
			for _, a := range rapid.Permutation(at.PendingApprovals()).Draw(t, "order") {
				if got, want := whole.Approval(a), nest().Approval(a); got != want {
					t.Fatalf("approval %s of call %q: in the nest %t, asked by itself %t", a.ID, a.ToolCallID, got, want)
				}
			}
		}
	})
}

func TestCallsAreDeepFromOneMoreThanSoMany(t *testing.T) {
	s := new(fold.State)
	s.Apply(story[0])
	for i, o := range []opening{{"a", "", "t"}, {"b", "a", "t"}, {"c", "b", "t"}, {"x", "y", "t"}, {"y", "x", "t"}} {
		r := about(approval.ID{15: byte(i + 1)}, opened, &record.ApprovalOpened{
			ToolCallID: o.call, ParentToolCallID: o.parent, TurnID: o.turn, Subject: []byte(`{"kind":"x"}`),
		})
		r.Seq = uint64(i + 2)
		s.Apply(r)
	}
	at, _ := s.Session(session)
	got := map[string]bool{}
	for _, parent := range []string{"", "nobody", "a", "b", "c", "y"} {
		got[parent] = at.Deep(parent, 2)
	}
	want := map[string]bool{"": false, "nobody": false, "a": false, "b": false, "c": true, "y": false}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("more than two around it (-want +got):\n%s", diff)
	}
}

func TestChildrenCountsWhatNamedTheParent(t *testing.T) {
	s := new(fold.State)
	s.Apply(story[0])
	for i, o := range []opening{{"a", "", "t"}, {"b", "a", "t"}, {"c", "a", "t"}, {"d", "b", "t"}} {
		r := about(approval.ID{15: byte(i + 1)}, opened, &record.ApprovalOpened{
			ToolCallID: o.call, ParentToolCallID: o.parent, TurnID: o.turn, Subject: []byte(`{"kind":"x"}`),
		})
		r.Seq = uint64(i + 2)
		s.Apply(r)
	}
	at, _ := s.Session(session)
	got := map[string]int{}
	for _, call := range []string{"a", "b", "c", "nobody"} {
		got[call] = at.Children(call)
	}
	if diff := cmp.Diff(map[string]int{"a": 2, "b": 1, "c": 0, "nobody": 0}, got); diff != "" {
		t.Errorf("children (-want +got):\n%s", diff)
	}
}

// What it takes to find all that is nested in a call grows with how much there is,
// and not with how deep it is nested besides: ns/approval stays as it is.
func BenchmarkTheEndOfACallThatIsNestedDeep(b *testing.B) {
	for _, deep := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("%d", deep), func(b *testing.B) {
			s := new(fold.State)
			s.Apply(story[0])
			for i := range deep {
				r := about(approval.ID{14: byte(i >> 8), 15: byte(i)}, opened, &record.ApprovalOpened{
					ToolCallID: fmt.Sprint(i), ParentToolCallID: fmt.Sprint(i + 1), TurnID: "t", Subject: []byte(`{"kind":"x"}`),
				})
				r.Seq = uint64(i + 2)
				s.Apply(r)
			}
			at, _ := s.Session(session)
			waiting := at.PendingApprovals()
			for b.Loop() {
				nest := at.InCall(fmt.Sprint(deep))
				for _, a := range waiting {
					if !nest.Approval(a) {
						b.Fatal(a.ToolCallID)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*deep), "ns/approval")
		})
	}
}
