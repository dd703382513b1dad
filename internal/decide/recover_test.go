package decide_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

func TestARestartClosesWhatIsPendingAndOpensItAgain(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	settled := w.open(session, file)
	w.choose(session, settled, 0, wire.ChoiceAbort)
	one := w.open(session, file, func(o *decide.Open) {
		o.Action.TurnID, o.Action.TaskID, o.Action.ItemID, o.Action.RunID = "turn", "task", "item", "run"
		o.Action.ParentToolCallID, o.Action.Operation = "parent", []byte(`{"kind":"x"}`)
		o.Timeout, o.Unattended, o.Diff = time.Hour, approval.Refuse, "-a\n+b\n"
	})
	two := w.open(session, teleport)
	r := w.do(decide.Recover{Session: session})
	want := []string{
		"resolved abort by policy (recovery)", "restartRecovered at 0", "requested 0: allow_once allow_session allow_local_path abort",
		"resolved abort by policy (recovery)", "restartRecovered at 0", "requested 0: allow_once abort",
	}
	if diff := cmp.Diff(want, w.tell(r)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if got, ok := r.Records[0].Body.(*record.Recovered); !ok || got.Pending != 2 {
		t.Errorf("the first record is %+v", r.Records[0].Body)
	}
	w.endedAs(session, settled, approval.ByReviewerAbort)
	for _, old := range []approval.ID{one, two} {
		w.endedAs(session, old, approval.ByRestart)
		a := w.approval(session, old)
		next := approval.Successor(session, old, a.Opened)
		if got := a.Resolution().SuccessorApprovalID; got != next.String() {
			t.Errorf("the successor of %s is %s, want %s", old, got, next)
		}
		w.isPending(session, next, 0)
	}

	// Everything about the action but its identity is what it was.
	before, after := openingOf(t, w, one), openingOf(t, w, approval.Successor(session, one, w.approval(session, one).Opened))
	if after.Supersedes == nil || *after.Supersedes != one || after.Command != nil {
		t.Errorf("it supersedes %v, with the command %v", after.Supersedes, after.Command)
	}
	before.Command, after.Supersedes = nil, nil
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("opening (-old +successor):\n%s", diff)
	}
}

func TestTheSameLogRecoveredTwiceGivesTheSameSuccessors(t *testing.T) {
	recovered := func() []record.Record {
		w := newWorld(t)
		session := w.start("")
		w.open(session, shell("a; b"))
		w.open(session, file)
		minted := w.minted
		r := w.do(decide.Recover{Session: session})
		if w.minted != minted {
			t.Error("an id was minted")
		}
		return r.Records
	}
	once, twice := recovered(), recovered()
	if diff := cmp.Diff(once, twice, cmp.Comparer(func(a, b approval.CommandID) bool { return a == b })); diff != "" {
		t.Errorf("records (-once +twice):\n%s", diff)
	}
}

func TestASecondCrashGivesOtherIDs(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	first := w.open(session, file)
	w.do(decide.Recover{Session: session})
	second := pending(t, w, session)
	w.do(decide.Recover{Session: session})
	third := pending(t, w, session)
	if first == second || second == third || first == third {
		t.Errorf("%s, %s, %s", first, second, third)
	}
	w.endedAs(session, second, approval.ByRestart)
	if got := w.approval(session, second).Resolution().SuccessorApprovalID; got != third.String() {
		t.Errorf("the successor of %s is %s, want %s", second, got, third)
	}
	if got := w.approval(session, first).Resolution().SuccessorApprovalID; got != second.String() {
		t.Errorf("the successor of %s has become %s", first, got)
	}
}

func TestNothingPendingIsNothingToRecover(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	w.choose(session, w.open(session, file), 0, wire.ChoiceAbort)
	if r := w.do(decide.Recover{Session: session}); len(r.Records) != 0 {
		t.Errorf("%d records", len(r.Records))
	}
}

func TestARestartSettlesWhatExpiredMeanwhile(t *testing.T) {
	for _, c := range []struct {
		name  string
		after time.Duration
		want  approval.Resolution
	}{
		{"before the instant", 999 * time.Millisecond, approval.ByRestart},
		{"at the instant", time.Second, approval.ByDeadline},
		{"long after it", time.Hour, approval.ByDeadline},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			id := w.open(session, file, func(o *decide.Open) { o.Timeout = time.Second })
			w.now = w.now.Add(c.after)
			w.do(decide.Recover{Session: session})
			w.endedAs(session, id, c.want)
			got := w.session(session).Pending
			if want := c.want == approval.ByRestart; (got == 1) != want {
				t.Errorf("%d pending", got)
			}
			if got == 1 { // the successor keeps the recorded instant
				next := w.approval(session, pending(t, w, session))
				if want := w.now.Add(-c.after).Add(time.Second).UnixMilli(); *next.ExpiresAt != want {
					t.Errorf("it expires at %d, want %d", *next.ExpiresAt, want)
				}
			}
		})
	}
}

func TestPolicyIsAskedAfreshAboutASuccessor(t *testing.T) {
	for _, c := range []struct {
		name    string
		subject approval.Subject
		change  func(w *world, session approval.ID)
		want    approval.Resolution // of the successor; zero: pending
	}{
		{"a mode that allows by now", file, func(w *world, s approval.ID) { w.do(setMode(w, s, approval.AllowAll)) }, approval.ByModeAllow},
		{"a mode that denies by now", file, func(w *world, s approval.ID) { w.do(setMode(w, s, approval.DenyUnmatched)) }, approval.ByModeDeny},
		{"an unknown kind under allowAll", teleport, func(w *world, s approval.ID) { w.do(setMode(w, s, approval.AllowAll)) }, approval.Resolution{}},
		{"nothing changed", file, func(*world, approval.ID) {}, approval.Resolution{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			old := w.open(session, c.subject)
			c.change(w, session)
			w.do(decide.Recover{Session: session})
			w.endedAs(session, old, approval.ByRestart)
			next := approval.Successor(session, old, w.approval(session, old).Opened)
			if c.want == (approval.Resolution{}) {
				w.isPending(session, next, 0)
				return
			}
			w.endedAs(session, next, c.want)
		})
	}
}

func TestARefusingSuccessorWaitsForReviewersToComeBack(t *testing.T) {
	w := newWorld(t)
	session := w.start("", func(c *decide.StartSession) { c.Unattended = approval.Refuse })
	old := w.open(session, file)
	w.attended = false
	w.do(decide.Recover{Session: session})
	w.endedAs(session, old, approval.ByRestart)
	next := pending(t, w, session)
	w.attended = true
	w.do(decide.ReviewersGone{Session: session})
	if got := pending(t, w, session); got != next {
		t.Errorf("pending is %s, want %s: a reviewer came back", got, next)
	}
	w.attended = false
	w.do(decide.ReviewersGone{Session: session})
	w.endedAs(session, next, approval.ByNobodyThere)
}

// Answers given before the crash are evidence in the old record, not authority
// for the successor.
func TestStageAnswersAreNotCarriedOver(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	old := w.open(session, shell("a; b"))
	w.choose(session, old, 0, wire.ChoiceAllowOnce)
	r := w.do(decide.Recover{Session: session})
	want := []string{
		"resolved abort by policy (recovery)", "restartRecovered at 1",
		"requested 0: allow_once allow_all_once allow_session abort",
	}
	if diff := cmp.Diff(want, w.tell(r)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"allowOnce", "unresolved"}, kinds(w.approval(session, old).Settled.Stages)); diff != "" {
		t.Errorf("evidence (-want +got):\n%s", diff)
	}
	next := w.full(session, pending(t, w, session))
	for i, stage := range next.Stages {
		if !stage.Open() {
			t.Errorf("stage %d of the successor is %s", i, stage.Kind)
		}
	}
	sh, _ := next.Subject().(approval.Shell)
	if got := sh.Stages[0].RequirementID.Approval; got != next.ID {
		t.Errorf("the successor's stages are those of %s", got)
	}
}

func TestARestartSaysWhetherTheStagesAreSplitDifferently(t *testing.T) {
	for name, c := range map[string]struct {
		argv []string // of the one stage that an older version made of "a; b"
		want bool
	}{
		"as before":   {nil, false},
		"differently": {[]string{"a; b"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			r := decide.Next(w.state.Over(), w.opening(session, shell("a; b")), w.env())
			if c.argv != nil { // what an older version would have written
				body, _ := r.Records[0].Body.(*record.ApprovalOpened)
				body.Subject = []byte(`{"kind":"shell","command":"a; b","cwd":"/srv/app","shell":"bash","stages":[{"requirementId":{"approvalId":"` +
					r.Records[0].Approval.String() + `","sourceIndex":0},"position":1,"totalStages":1,"argv":["a; b"],"argvComplete":false,` +
					`"resolution":{"kind":"unresolved","diagnostic":"too hard"}}]}`)
				body.Stages = []record.Stage{{Kind: "unresolved", Diagnostic: "too hard"}}
			}
			for _, rec := range r.Records {
				w.state.Apply(rec)
				w.log = append(w.log, rec)
			}
			again := w.do(decide.Recover{Session: session})
			settled, _ := again.Records[1].Body.(*record.ApprovalSettled)
			if settled == nil || settled.Recovery == nil || settled.Recovery.Reparsed != c.want || !settled.Recovery.Executable {
				t.Errorf("record %+v", again.Records[1].Body)
			}
		})
	}
}

// A decide repeated across the restart (protocol §8).
func TestADecisionNeverBindsToASuccessor(t *testing.T) {
	t.Run("its own stage is in the log: the original ack", func(t *testing.T) {
		w := newWorld(t)
		session := w.start("")
		d := w.choice(session, w.open(session, shell("a; b")), 0, wire.ChoiceAllowOnce)
		first := w.do(d)
		w.do(decide.Recover{Session: session})
		again := w.do(d)
		isAcked(t, again, string(first.Ack))
		if len(again.Records) != 0 {
			t.Errorf("%d records", len(again.Records))
		}
		w.isPending(session, pending(t, w, session), 0)
	})
	t.Run("it never arrived: settled, and the successor waits", func(t *testing.T) {
		w := newWorld(t)
		session := w.start("")
		d := w.choice(session, w.open(session, file), 0, wire.ChoiceAllowOnce)
		w.do(decide.Recover{Session: session})
		const want = `{"code":-32051,"message":"Approval 0198f0ac-0000-7000-8000-000000000002 is settled already: superseded.",` +
			`"data":{"kind":"approvalAlreadyResolved","retryable":false,"approvalId":"0198f0ac-0000-7000-8000-000000000002",` +
			`"resolution":{"decision":"abort","resolvedBy":"policy","viewCursor":"v:0198f0ac-0000-7000-8000-000000000001:16","outcome":"superseded"}}}`
		isRefused(t, w.do(d), false, want)
		isRefused(t, w.do(d), false, want)
		w.isPending(session, pending(t, w, session), 0)
	})
	t.Run("it was refused before: refused as before", func(t *testing.T) {
		w := newWorld(t)
		session := w.start("")
		d := w.choice(session, w.open(session, file), 3, wire.ChoiceAllowOnce)
		first := w.do(d)
		w.do(decide.Recover{Session: session})
		isRefused(t, w.do(d), false, encoded(t, first.Refusal))
	})
}

func TestAnOpeningRepeatedAfterARestartIsAnsweredAsBefore(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	o := w.opening(session, file)
	first := w.do(o)
	w.do(decide.Recover{Session: session})
	again := w.do(o)
	isAcked(t, again, string(first.Ack))
	if len(again.Records) != 0 {
		t.Errorf("%d records", len(again.Records))
	}
}

func TestGrantsOutliveARestart(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	w.choose(session, w.open(session, file), 0, wire.ChoiceAllowSession)
	w.open(session, network)
	w.do(decide.Recover{Session: session})
	w.endedAs(session, w.open(session, file), approval.BySessionGrant)
}

// pending is the one approval that waits.
func pending(t *testing.T, w *world, session approval.ID) approval.ID {
	t.Helper()
	all := w.session(session).PendingApprovals()
	if len(all) != 1 {
		t.Fatalf("%d pending", len(all))
	}
	return all[0].ID
}

// openingOf is a copy of the opening record of an approval.
func openingOf(t *testing.T, w *world, id approval.ID) record.ApprovalOpened {
	t.Helper()
	for _, r := range w.log {
		if body, ok := r.Body.(*record.ApprovalOpened); ok && r.Approval == id {
			return *body
		}
	}
	t.Fatalf("%s was never opened", id)
	return record.ApprovalOpened{}
}
