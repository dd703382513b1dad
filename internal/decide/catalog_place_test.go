package decide_test

import (
	"testing"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

// A child has nothing of its own that a restart ends but a permit under its
// parent's catalog.
func TestARestartVoidsAPermitUnderAParentsCatalog(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	below := w.start("", func(s *decide.StartSession) { s.Parent = session })
	id := w.open(below, send, under(w.catalog(session, "mail", mailList...)))
	w.choose(below, id, 0, wire.ChoiceAllowOnce)
	if !decide.NeedsRecovery(w.session(below)) {
		t.Fatal("nothing is owed")
	}
	w.do(decide.Recover{Session: below})
	if got := w.stateOf(below, id); got != "catalogClosed" {
		t.Errorf("its permit: %s", got)
	}
}

// A batch is opened under a catalog and in a turn as its calls would be by
// themselves: where one cannot be, nothing is created.
func TestABatchIsPlacedAsEachOfItsCalls(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	catalog := w.catalog(session, "mail", mailList...)
	batch := func(edit func(*decide.Open)) decide.Prepare {
		c := decide.Prepare{Intent: w.intent(), Session: session, Run: "r"}
		for _, call := range []string{"one", "two"} {
			o := w.opening(session, send, under(catalog), func(o *decide.Open) { o.Action.ToolCallID, o.Action.RunID, o.Action.TurnID = call, "r", "t" })
			if call == "two" {
				edit(&o)
			}
			c.Requests = append(c.Requests, o)
		}
		return c
	}
	isRefused(t, w.do(batch(func(o *decide.Open) { o.Action.Subject = approval.Tool{ServerName: "mail", ToolName: "x"} })), false,
		`{"code":-32602,"message":"requests[1]: subject.toolName: the catalog of \"mail\" lists no such tool; update it first.",`+
			`"data":{"kind":"invalidParams","retryable":false}}`)
	given := batch(func(*decide.Open) {})
	r := w.do(given)
	if r.Refusal != nil || w.session(session).Pending != 2 {
		t.Fatalf("%v, %d pending", r.Refusal, w.session(session).Pending)
	}
	if tool, _ := given.Requests[0].Action.Subject.(approval.Tool); tool.ToolDigest != "" {
		t.Errorf("the command was changed: %+v", tool)
	}
	for _, a := range w.session(session).PendingApprovals() {
		if tool, _ := w.full(session, a.ID).Subject().(approval.Tool); tool.ToolDigest != "sha256:01" {
			t.Errorf("subject %+v", tool)
		}
	}
	w.do(decide.CloseCatalog{Intent: w.intent(), Session: session, Catalog: catalog})
	other := batch(func(*decide.Open) {})
	other.Run = "another"
	isRefused(t, w.do(other), true, `{"code":-32094,"message":"requests[0]: Catalog `+catalog.String()+` is closed; open the server's catalog again.",`+
		`"data":{"kind":"catalogClosed","retryable":false}}`)
	w.do(w.completing(session, "t"))
	late := batch(func(*decide.Open) {})
	late.Run = "another"
	if r := w.do(late); r.Refusal == nil || r.Refusal.Data.Reason != wire.ReasonTurnEnded {
		t.Errorf("in a turn that is over: %v", r.Refusal)
	}
}
