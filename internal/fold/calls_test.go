package fold_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

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
			var got []string
			for _, a := range at.PendingApprovals() {
				in := at.InCall(a, c.call)
				if c.turn != "" {
					in = at.InTurn(a, c.turn)
				}
				if in {
					got = append(got, a.ToolCallID)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("approvals (-want +got):\n%s", diff)
			}
		})
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
