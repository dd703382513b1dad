package decide_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

func TestADeadlineSettlesAnApprovalOnce(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id := w.open(session, shell("a; b"), func(o *decide.Open) { o.Timeout = time.Second })
	w.choose(session, id, 0, wire.ChoiceAllowOnce)
	w.now = w.now.Add(time.Second)
	r := w.do(decide.Expire{Session: session, Approval: id})
	w.endedAs(session, id, approval.ByDeadline)
	if diff := cmp.Diff([]string{"resolved timedOut by policy (deadline)"}, w.tell(r)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"allowOnce", "unresolved"}, kinds(w.approval(session, id).Settled.Stages)); diff != "" {
		t.Errorf("stages (-want +got):\n%s", diff)
	}
	if again := w.do(decide.Expire{Session: session, Approval: id}); len(again.Records) != 0 {
		t.Errorf("it fired twice: %d records", len(again.Records))
	}
}

func TestALateDecisionLosesToTheDeadline(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id := w.open(session, file, func(o *decide.Open) { o.Timeout = time.Second })
	w.do(decide.Expire{Session: session, Approval: id})
	r := w.do(w.choice(session, id, 0, wire.ChoiceAllowOnce))
	isRefused(t, r, false, `{"code":-32051,"message":"Approval 0198f0ac-0000-7000-8000-000000000002 is settled already: timedOut.",`+
		`"data":{"kind":"approvalAlreadyResolved","retryable":false,"approvalId":"0198f0ac-0000-7000-8000-000000000002",`+
		`"resolution":{"decision":"timedOut","resolvedBy":"policy","viewCursor":"v:0198f0ac-0000-7000-8000-000000000001:12","outcome":"timedOut"}}}`)
}

func TestADeadlineLosesToADecision(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id := w.open(session, file, func(o *decide.Open) { o.Timeout = time.Second })
	w.choose(session, id, 0, wire.ChoiceAllowOnce)
	if r := w.do(decide.Expire{Session: session, Approval: id}); len(r.Records) != 0 {
		t.Errorf("%d records", len(r.Records))
	}
	w.endedAs(session, id, approval.ByReviewerOnce)
	if r := w.do(decide.Expire{Session: session, Approval: seedSession}); len(r.Records) != 0 {
		t.Errorf("%d records for an approval that never was", len(r.Records))
	}
}
