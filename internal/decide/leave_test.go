package decide_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

func TestAGoneAgentCancelsOnlyWhereTheSessionSaidSo(t *testing.T) {
	for name, cancel := range map[string]bool{"cancelOnDisconnect": true, "otherwise": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("", func(c *decide.StartSession) { c.CancelOnDisconnect = cancel })
			id, settled := w.open(session, file), w.open(session, file)
			w.choose(session, settled, 0, wire.ChoiceAllowOnce)
			r := w.do(decide.AgentGone{Session: session})
			if !cancel {
				w.isPending(session, id, 0)
				return
			}
			w.endedAs(session, id, approval.ByAgentCancel)
			w.endedAs(session, settled, approval.ByReviewerOnce)
			if diff := cmp.Diff([]string{"resolved abort by policy (agent)"}, w.tell(r)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if r.Records[0].Intake() != nil {
				t.Error("it is in the ledger of commands")
			}
		})
	}
}

func TestAnEmptyRoomSettlesWhatMayNotWait(t *testing.T) {
	refuse := func(o *decide.Open) { o.Unattended = approval.Refuse }
	for _, c := range []struct {
		name     string
		attended bool
		one      bool // only the first approval has lost its reviewers
		want     [3]bool
	}{
		{"the last reviewer left", false, false, [3]bool{true, false, true}},
		{"somebody came back meanwhile", true, false, [3]bool{}},
		{"the last one that could show an approval", true, true, [3]bool{true, false, false}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			ids := []approval.ID{w.open(session, file, refuse), w.open(session, file), w.open(session, teleport, refuse)}
			w.attended = c.attended
			gone := decide.ReviewersGone{Session: session}
			if c.one {
				gone.Approval = ids[0]
			}
			w.do(gone)
			for i, id := range ids {
				if c.want[i] {
					w.endedAs(session, id, approval.ByNobodyThere)
				} else {
					w.isPending(session, id, 0)
				}
			}
		})
	}
}

func TestAnApprovalThatMayWaitOutlivesItsOwnReviewers(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id := w.open(session, file)
	w.do(decide.ReviewersGone{Session: session, Approval: id})
	w.isPending(session, id, 0)
}
