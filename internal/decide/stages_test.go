package decide_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// step is a choice and what it comes to.
type step struct {
	requirement int
	choice      wire.ChoiceID
	terminal    bool
	events      []string
}

func TestStagesAreDecidedOneByOne(t *testing.T) {
	const (
		more = false
		end  = true
	)
	for _, c := range []struct {
		name    string
		command string
		opens   string
		steps   []step
		want    approval.Resolution
		stages  []string // as the terminal record has them
	}{
		{
			"allow_once twice", "a && b", "requested 0: allow_once allow_all_once allow_session abort",
			[]step{
				{0, wire.ChoiceAllowOnce, more, []string{
					"stage 0 allow_once, then 1: allow_once allow_session abort",
					"requested 1: allow_once allow_session abort",
				}},
				{1, wire.ChoiceAllowOnce, end, []string{"stage 1 allow_once, then 1:", "resolved approved by user (reviewer)"}},
			},
			approval.ByReviewerOnce, []string{"allowOnce", "allowOnce"},
		},
		{
			"one stage", "a", "requested 0: allow_once allow_session abort",
			[]step{{0, wire.ChoiceAllowOnce, end, []string{"stage 0 allow_once, then 0:", "resolved approved by user (reviewer)"}}},
			approval.ByReviewerOnce, []string{"allowOnce"},
		},
		{
			"safe stages are passed over", "true; a; true; b; true", "requested 1: allow_once allow_all_once allow_session abort",
			[]step{
				{1, wire.ChoiceAllowOnce, more, []string{
					"stage 1 allow_once, then 3: allow_once allow_session abort",
					"requested 3: allow_once allow_session abort",
				}},
				{3, wire.ChoiceAllowOnce, end, []string{"stage 3 allow_once, then 3:", "resolved approved by user (reviewer)"}},
			},
			approval.ByReviewerOnce, []string{"knownSafe", "allowOnce", "knownSafe", "allowOnce", "knownSafe"},
		},
		{
			"abort at the second of three", "a; b; c", "requested 0: allow_once allow_all_once allow_session abort",
			[]step{
				{0, wire.ChoiceAllowOnce, more, []string{
					"stage 0 allow_once, then 1: allow_once allow_all_once allow_session abort",
					"requested 1: allow_once allow_all_once allow_session abort",
				}},
				{1, wire.ChoiceAbort, end, []string{"resolved abort by user (reviewer)"}},
			},
			approval.ByReviewerAbort, []string{"allowOnce", "unresolved", "unresolved"},
		},
		{
			"allow_all_once at once", "a; true; b; c", "requested 0: allow_once allow_all_once allow_session abort",
			[]step{{0, wire.ChoiceAllowAllOnce, end, []string{
				"stage 0 allow_all_once, then 2: allow_once allow_all_once allow_session abort",
				"stage 2 allow_all_once, then 3: allow_once allow_session abort",
				"stage 3 allow_all_once, then 3:",
				"resolved approved by user (reviewer)",
			}}},
			approval.ByReviewerOnce, []string{"allowOnce", "knownSafe", "allowOnce", "allowOnce"},
		},
		{
			"allow_all_once for the rest", "a; b; c", "requested 0: allow_once allow_all_once allow_session abort",
			[]step{
				{0, wire.ChoiceAllowOnce, more, []string{
					"stage 0 allow_once, then 1: allow_once allow_all_once allow_session abort",
					"requested 1: allow_once allow_all_once allow_session abort",
				}},
				{1, wire.ChoiceAllowAllOnce, end, []string{
					"stage 1 allow_all_once, then 2: allow_once allow_session abort",
					"stage 2 allow_all_once, then 2:",
					"resolved approved by user (reviewer)",
				}},
			},
			approval.ByReviewerOnce, []string{"allowOnce", "allowOnce", "allowOnce"},
		},
		{
			"allow_session ends it without stage updates", "a; b", "requested 0: allow_once allow_all_once allow_session abort",
			[]step{{0, wire.ChoiceAllowSession, end, []string{"resolved approvedForSession by user (reviewer)"}}},
			approval.ByReviewerSession, []string{"unresolved", "unresolved"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			opened := w.do(w.opening(session, shell(c.command)))
			if diff := cmp.Diff([]string{c.opens}, w.tell(opened)); diff != "" {
				t.Fatalf("opening (-want +got):\n%s", diff)
			}
			id := opened.Records[0].Approval
			for i, s := range c.steps {
				r := w.do(w.choice(session, id, s.requirement, s.choice))
				if r.Refusal != nil {
					t.Fatalf("step %d: %v", i, r.Refusal)
				}
				if got := decoded[wire.ApprovalDecideResult](t, r.Ack).Terminal; got != s.terminal {
					t.Errorf("step %d: terminal %v", i, got)
				}
				if diff := cmp.Diff(s.events, w.tell(r)); diff != "" {
					t.Errorf("step %d (-want +got):\n%s", i, diff)
				}
			}
			w.endedAs(session, id, c.want)
			if diff := cmp.Diff(c.stages, kinds(w.approval(session, id).Settled.Stages)); diff != "" {
				t.Errorf("stages (-want +got):\n%s", diff)
			}
		})
	}
}

func TestADecisionForAStageThatHasMovedOnIsStale(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id := w.open(session, shell("a; b"))
	late := w.choice(session, id, 0, wire.ChoiceAllowOnce) // two reviewers saw stage 0
	w.choose(session, id, 0, wire.ChoiceAllowOnce)
	const want = `{"code":-32053,"message":"Requirement 0 of approval 0198f0ac-0000-7000-8000-000000000002 is not the current one; it is 1.",` +
		`"data":{"kind":"approvalRequirementStale","retryable":false,"approvalId":"0198f0ac-0000-7000-8000-000000000002",` +
		`"currentRequirementId":{"approvalId":"0198f0ac-0000-7000-8000-000000000002","sourceIndex":1}}}`
	isRefused(t, w.do(late), true, want)
	w.isPending(session, id, 1)
	w.choose(session, id, 1, wire.ChoiceAllowOnce)
	isRefused(t, w.do(late), false, want) // replayed unchanged, though the approval is settled by now
}

// What waits is evaluated again in the commit that gives the grant, and each
// part of it says so.
func TestASessionGrantSettlesWhatWaitsAlready(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	slow := w.open(session, shell("a; b; true; c"))
	w.choose(session, slow, 0, wire.ChoiceAllowOnce)
	quick := w.open(session, shell("a; b; true; c"))
	other := w.open(session, shell("a; b"))
	r := w.do(w.choice(session, quick, 0, wire.ChoiceAllowSession))
	want := []string{
		"resolved approvedForSession by user (reviewer)",
		"stage 1 policy, then 3: allow_once allow_session abort",
		"stage 3 policy, then 3:",
		"resolved approved by policy (sessionGrant)",
	}
	if diff := cmp.Diff(want, w.tell(r)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	w.endedAs(session, slow, approval.BySessionGrant)
	if diff := cmp.Diff([]string{"allowOnce", "policyAllow", "knownSafe", "policyAllow"}, kinds(w.approval(session, slow).Settled.Stages)); diff != "" {
		t.Errorf("stages (-want +got):\n%s", diff)
	}
	w.isPending(session, other, 0)
}

func TestAModeThatChangesBetweenStagesDecidesNothing(t *testing.T) {
	for _, mode := range []approval.Mode{approval.AllowAll, approval.DenyUnmatched} {
		t.Run(string(mode), func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			id := w.open(session, shell("a; b"))
			w.do(setMode(w, session, mode))
			if w.choose(session, id, 0, wire.ChoiceAllowOnce) {
				t.Error("the first stage ended it")
			}
			w.isPending(session, id, 1)
		})
	}
}

// Of the records of one command, exactly one is the ledger's entry, and each
// names the command.
func TestACommandHasOneEntryInTheLedger(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id := w.open(session, shell("a; b; c"))
	d := w.choice(session, id, 0, wire.ChoiceAllowAllOnce)
	r := w.do(d)
	entries := 0
	for _, rec := range r.Records {
		if rec.Intake() != nil {
			entries++
		}
		if rec.Command != d.Command {
			t.Errorf("record %d names command %s", rec.Seq, rec.Command)
		}
	}
	if entries != 1 || len(r.Records) != 4 {
		t.Errorf("%d entries in %d records", entries, len(r.Records))
	}
}

func kinds(stages []record.Stage) []string {
	var out []string
	for _, s := range stages {
		out = append(out, s.Kind)
	}
	return out
}
