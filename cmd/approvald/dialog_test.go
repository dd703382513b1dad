package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/wire"
)

const anApproval = "0198f0ac-7777-7000-8000-0000000000e1"

// question is a request for one stage of a command of two.
func question(approval string, stage int) *wire.ApprovalRequest {
	id := wire.RequirementID{ApprovalID: approval, SourceIndex: stage}
	return &wire.ApprovalRequest{
		SessionID: "s", ApprovalID: approval, CurrentRequirementID: id,
		Subject: []byte(`{"kind":"shell","command":"make && make install","cwd":"/w","shell":"bash","stages":[]}`),
		AvailableChoices: wire.List[wire.Choice]{
			{ChoiceID: wire.ChoiceAllowOnce, Label: "Allow once"},
			{ChoiceID: wire.ChoiceAllowAllOnce, Label: "Allow all 2 parts once", RulePreview: "1. make\n2. make install"},
			{ChoiceID: wire.ChoiceAbort, Label: "Reject", AcceptsFeedback: true},
		},
	}
}

func decides(approval string, stage int, choice wire.ChoiceID, feedback string) *wire.ApprovalDecideParams {
	p := &wire.ApprovalDecideParams{
		SessionID: "s", ApprovalID: approval, ChoiceID: choice,
		RequirementID: wire.RequirementID{ApprovalID: approval, SourceIndex: stage},
	}
	if feedback != "" {
		p.Feedback = &feedback
	}
	return p
}

func TestAnswerDecidesTheQuestionThatIsShown(t *testing.T) {
	const successor = "0198f0ac-7777-7000-8000-0000000000e2"
	// Each step puts a question or gives an answer to the one before.
	type step struct {
		ask    *wire.ApprovalRequest
		answer string
		want   *wire.ApprovalDecideParams
	}
	tests := map[string][]step{
		"by number":      {{ask: question(anApproval, 0)}, {answer: "2", want: decides(anApproval, 0, wire.ChoiceAllowAllOnce, "")}},
		"by name":        {{ask: question(anApproval, 0)}, {answer: " allow_once ", want: decides(anApproval, 0, wire.ChoiceAllowOnce, "")}},
		"no such number": {{ask: question(anApproval, 0)}, {answer: "4"}, {answer: "1", want: decides(anApproval, 0, wire.ChoiceAllowOnce, "")}},
		"no answer":      {{ask: question(anApproval, 0)}, {answer: ""}, {answer: "1", want: decides(anApproval, 0, wire.ChoiceAllowOnce, "")}},
		"with feedback":  {{ask: question(anApproval, 0)}, {answer: "3"}, {answer: "not now", want: decides(anApproval, 0, wire.ChoiceAbort, "not now")}},
		"without it":     {{ask: question(anApproval, 0)}, {answer: "abort"}, {answer: "", want: decides(anApproval, 0, wire.ChoiceAbort, "")}},
		"stage after stage": {
			{ask: question(anApproval, 0)}, {answer: "1", want: decides(anApproval, 0, wire.ChoiceAllowOnce, "")},
			{ask: question(anApproval, 1)}, {answer: "1", want: decides(anApproval, 1, wire.ChoiceAllowOnce, "")},
		},
		"a question that is asked again stays": {
			{ask: question(anApproval, 0)}, {answer: "3"}, {ask: question(anApproval, 0)},
			{answer: "why not", want: decides(anApproval, 0, wire.ChoiceAbort, "why not")},
		},
		"an answer to a question that was replaced selects nothing": {
			{ask: question(anApproval, 0)}, {ask: question(successor, 0)}, {answer: "1"}, {answer: "allow_once"},
			{answer: "4", want: decides(successor, 0, wire.ChoiceAllowOnce, "")},
		},
		"feedback to a question that was replaced selects nothing": {
			{ask: question(anApproval, 0)}, {answer: "3"}, {ask: question(anApproval, 1)}, {answer: "abort"},
			{answer: "6"}, {answer: "", want: decides(anApproval, 1, wire.ChoiceAbort, "")},
		},
	}
	for name, steps := range tests {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			d := &dialog{out: &out}
			for i, s := range steps {
				if s.ask != nil {
					d.ask(s.ask)
					continue
				}
				if !d.open() {
					t.Fatalf("step %d: no line is waited for", i)
				}
				got := d.answer(s.answer)
				if diff := cmp.Diff(s.want, got); diff != "" {
					t.Fatalf("step %d: answer %q decides (-want +got):\n%s\n%s", i, s.answer, diff, out.String())
				}
				if d.open() == (got != nil) {
					t.Fatalf("step %d: after answer %q a line is waited for: %t", i, s.answer, d.open())
				}
			}
		})
	}
}

func TestDialogGoesOnAfterADecision(t *testing.T) {
	requirement := question(anApproval, 0).CurrentRequirementID
	tests := map[string]struct {
		verdict verdict
		open    bool   // the question is put again
		says    string // a part of it; "" for nothing
	}{
		"it ended the approval":   {verdict{requirement, true, nil}, false, ""},
		"it settled the stage":    {verdict{requirement, false, nil}, false, ""},
		"another one was quicker": {verdict{requirement, false, wire.NewError(wire.CodeApprovalAlreadyResolved, "Settled.")}, false, "Settled."},
		"the stage is not current any more": {
			verdict{requirement, false, wire.NewError(wire.CodeApprovalRequirementStale, "Stale.")}, false, "Stale.",
		},
		"the choice is not offered": {verdict{requirement, false, wire.NewError(wire.CodeApprovalChoiceInvalid, "No such choice.")}, true, "No such choice."},
		"the daemon is busy":        {verdict{requirement, false, wire.NewError(wire.CodeOverloaded, "Too much.")}, true, "Too much. Try again."},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			d := &dialog{out: &out}
			d.ask(question(anApproval, 0))
			d.answer("1")
			out.Reset()
			d.decided(tt.verdict)
			if d.open() != tt.open || !strings.Contains(out.String(), tt.says) || (tt.says == "") != (out.String() == "") {
				t.Errorf("open %t, says %q; want %t, %q", d.open(), out.String(), tt.open, tt.says)
			}
		})
	}
}

func TestDialogTellsWhoDecidedElsewhere(t *testing.T) {
	tests := map[string]struct {
		ours       bool
		resolution wire.Resolution
		want       string
	}{
		"this terminal":    {true, wire.Resolution{Outcome: wire.OutcomeAllowedOnce, ResolvedBy: wire.ResolvedByUser}, ""},
		"another reviewer": {false, wire.Resolution{Outcome: wire.OutcomeRejected, ResolvedBy: wire.ResolvedByUser}, "\napprovald: rejected by another reviewer\n"},
		"a deadline":       {false, wire.Resolution{Outcome: wire.OutcomeTimedOut, ResolvedBy: wire.ResolvedByPolicy}, "\napprovald: timed out\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			d := &dialog{out: &out}
			d.ask(question(anApproval, 0))
			if tt.ours {
				p := d.answer("1")
				d.decided(verdict{p.RequirementID, true, nil})
			}
			out.Reset()
			d.settled(&tt.resolution)
			if out.String() != tt.want || d.open() {
				t.Errorf("says %q, want %q; open %t", out.String(), tt.want, d.open())
			}
		})
	}
}
