package fold_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
)

// What the agent is told of each way in which an approval can end. Messages
// are written for a model: they are part of the contract.
func TestTheAgentLearnsHowItEnded(t *testing.T) {
	const refused = `The call of \"rm\" was not carried out: `
	for _, c := range []struct {
		name           string
		how            approval.Resolution
		reason         string
		feedback       string
		want           string // from outcome to source
		denial, notice string // "" for no denial
	}{
		{
			name: "allowed once", how: approval.ByReviewerOnce,
			want:   `"outcome":"allowedOnce","decision":"approved","policyResult":"allow","resolvedBy":"user","source":"reviewer"`,
			notice: `{"decision":"approved","resolvedBy":"user","viewCursor":"v:0198f0aa-1111-7000-8000-0000000000aa:12","outcome":"allowedOnce"}`,
		},
		{
			name: "allowed by policy", how: approval.BySessionGrant,
			want:   `"outcome":"allowedOnce","decision":"approved","policyResult":"allow","resolvedBy":"policy","source":"sessionGrant"`,
			notice: `{"decision":"approved","resolvedBy":"policy","viewCursor":"v:0198f0aa-1111-7000-8000-0000000000aa:12","outcome":"allowedOnce"}`,
		},
		{
			name: "rejected", how: approval.ByReviewerAbort, feedback: "not <now> && here",
			want: `"outcome":"rejected","decision":"abort","policyResult":"deny","resolvedBy":"user","source":"reviewer"`,
			denial: `"feedback":"not <now> && here","denial":{"kind":"rejected","message":"` + refused +
				`a reviewer rejected it. The reviewer says: not <now> && here. Repeating the same call will not help.","feedback":"not <now> && here"}`,
			notice: `{"decision":"abort","resolvedBy":"user","viewCursor":"v:0198f0aa-1111-7000-8000-0000000000aa:12","outcome":"rejected"}`,
		},
		{
			name: "rejected with an exclamation", how: approval.ByReviewerAbort, feedback: "Never!\n",
			want: `"outcome":"rejected","decision":"abort","policyResult":"deny","resolvedBy":"user","source":"reviewer"`,
			denial: `"feedback":"Never!\n","denial":{"kind":"rejected","message":"` + refused +
				`a reviewer rejected it. The reviewer says: Never! Repeating the same call will not help.","feedback":"Never!\n"}`,
			notice: `{"decision":"abort","resolvedBy":"user","viewCursor":"v:0198f0aa-1111-7000-8000-0000000000aa:12","outcome":"rejected"}`,
		},
		{
			name: "cancelled for a reason of the agent's", how: approval.ByAgentCancel, reason: "The agent withdrew it: no need",
			want:   `"outcome":"cancelled","decision":"abort","policyResult":"deny","resolvedBy":"policy","source":"agent"`,
			denial: `"denial":{"kind":"cancelled","message":"` + refused + `it was cancelled. The agent withdrew it: no need. Repeating the same call will not help."}`,
			notice: `{"decision":"abort","resolvedBy":"policy","viewCursor":"v:0198f0aa-1111-7000-8000-0000000000aa:12","outcome":"cancelled"}`,
		},
		{
			name: "denied", how: approval.ByModeDeny, reason: "The mode denies it.",
			want:   `"outcome":"rejected","decision":"denied","policyResult":"deny","resolvedBy":"policy","source":"mode"`,
			denial: `"denial":{"kind":"policy","message":"` + refused + `the user's policy denies it. The mode denies it. Repeating the same call will not help."}`,
			notice: `{"decision":"denied","resolvedBy":"policy","viewCursor":"v:0198f0aa-1111-7000-8000-0000000000aa:12","outcome":"rejected"}`,
		},
		{
			name: "timed out", how: approval.ByDeadline,
			want:   `"outcome":"timedOut","decision":"timedOut","policyResult":"deny","resolvedBy":"policy","source":"deadline"`,
			denial: `"denial":{"kind":"timedOut","message":"` + refused + `nobody decided before its deadline. Repeating the same call will not help."}`,
			notice: `{"decision":"timedOut","resolvedBy":"policy","viewCursor":"v:0198f0aa-1111-7000-8000-0000000000aa:12","outcome":"timedOut"}`,
		},
		{
			name: "unavailable", how: approval.ByNobodyThere,
			want:   `"outcome":"unavailable","decision":"denied","policyResult":"deny","resolvedBy":"policy","source":"unattended"`,
			denial: `"denial":{"kind":"unavailable","message":"` + refused + `no reviewer was there to decide. Repeating the same call will not help."}`,
			notice: `{"decision":"denied","resolvedBy":"policy","viewCursor":"v:0198f0aa-1111-7000-8000-0000000000aa:12","outcome":"unavailable"}`,
		},
		{
			name: "cancelled", how: approval.BySessionClose, reason: "The session was closed.",
			want:   `"outcome":"cancelled","decision":"abort","policyResult":"deny","resolvedBy":"policy","source":"session"`,
			denial: `"denial":{"kind":"cancelled","message":"` + refused + `it was cancelled. The session was closed. Repeating the same call will not help."}`,
			notice: `{"decision":"abort","resolvedBy":"policy","viewCursor":"v:0198f0aa-1111-7000-8000-0000000000aa:12","outcome":"cancelled"}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := endedBy(settled(2, c.how, func(s *record.ApprovalSettled) { s.Reason, s.Feedback = c.reason, c.feedback }))
			want := `{"approvalId":"00000000-0000-0000-0000-0000000000a2","toolCallId":"call_2",` + c.want + `,"decidedAt":"2026-01-02T03:04:07.678Z"`
			if c.denial != "" {
				want += "," + c.denial
			} else {
				want += `,"permit":{"argsDigest":"","subjectDigest":""}` // of the opening record of the story
			}
			if diff := cmp.Diff(want+"}", text(t, a.Resolution())); diff != "" {
				t.Errorf("resolution (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.notice, text(t, a.Notice(session))); diff != "" {
				t.Errorf("notice (-want +got):\n%s", diff)
			}
		})
	}
}

func TestASupersededApprovalNamesItsSuccessorAndIsNoDenial(t *testing.T) {
	a := endedBy(settled(2, approval.ByRestart, func(s *record.ApprovalSettled) { s.Successor = &nextApproval }))
	const want = `{"approvalId":"00000000-0000-0000-0000-0000000000a2","toolCallId":"call_2","outcome":"superseded","decision":"abort",` +
		`"policyResult":"deny","resolvedBy":"policy","source":"recovery","decidedAt":"2026-01-02T03:04:07.678Z",` +
		`"successorApprovalId":"00000000-0000-0000-0000-0000000000a4"}`
	if diff := cmp.Diff(want, text(t, a.Resolution())); diff != "" {
		t.Errorf("resolution (-want +got):\n%s", diff)
	}
}

// endedBy is an approval of the tool rm that ended so.
func endedBy(end *record.ApprovalSettled) *fold.Approval {
	opening := &record.ApprovalOpened{ToolCallID: "call_2", ToolName: "rm", Subject: []byte(`{"kind":"x"}`), Command: accepted()}
	s := new(fold.State)
	for _, r := range numbered(story[0], about(fileApproval, opened, opening), about(fileApproval, decided, end)) {
		s.Apply(r)
	}
	at, _ := s.Session(session)
	a, _ := at.Approval(fileApproval)
	return a
}
