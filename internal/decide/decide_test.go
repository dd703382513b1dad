package decide_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

func TestEachChoiceEndsASubjectOfOneRequirement(t *testing.T) {
	for _, c := range []struct {
		choice wire.ChoiceID
		want   approval.Resolution
		events []string
		grants bool
	}{
		{wire.ChoiceAllowOnce, approval.ByReviewerOnce, []string{"resolved approved by user (reviewer)"}, false},
		{wire.ChoiceAllowSession, approval.ByReviewerSession, []string{"resolved approvedForSession by user (reviewer)"}, true},
		{wire.ChoiceAbort, approval.ByReviewerAbort, []string{"resolved abort by user (reviewer)"}, false},
	} {
		t.Run(string(c.choice), func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			id := w.open(session, file)
			r := w.do(w.choice(session, id, 0, c.choice))
			isAcked(t, r, `{"commandId":"018f6a2a-0000-7000-8000-000000000003","status":"accepted","approvalId":"`+id.String()+`","terminal":true}`)
			w.endedAs(session, id, c.want)
			if diff := cmp.Diff(c.events, w.tell(r)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			reach, _ := file.Reach()
			if _, granted := w.session(session).Grant(reach); granted != c.grants {
				t.Errorf("granted: %v", granted)
			}
		})
	}
}

// Each command is wrong in everything that is checked from its own row on, so
// that the row's refusal shows that the check comes first (protocol §3).
func TestChecksAreMadeInTheirOrder(t *testing.T) {
	feedback := "not here"
	const (
		recorded = true
		afresh   = false
	)
	for _, c := range []struct {
		name     string
		prepare  func(w *world, c *decide.Decide)
		recorded bool
		want     string
	}{
		{
			"session",
			func(_ *world, c *decide.Decide) { c.Session, c.Approval = seedSession, seedSession },
			afresh, `{"code":-32020,"message":"There is no session 0198f0aa-1111-7000-8000-0000000000aa.","data":{"kind":"sessionNotFound",` +
				`"retryable":false,"sessionId":"0198f0aa-1111-7000-8000-0000000000aa"}}`,
		},
		{
			"closed session, approval that was never issued",
			func(w *world, c *decide.Decide) {
				c.Approval = seedSession
				w.do(decide.CloseSession{Intent: w.intent(), Session: c.Session})
			},
			afresh, `{"code":-32030,"message":"Session 0198f0ac-0000-7000-8000-000000000001 is closed; start another.","data":{"kind":"commandRejected",` +
				`"retryable":false,"reason":"session_closed","commandId":"018f6a2a-0000-7000-8000-000000000003","sessionId":"0198f0ac-0000-7000-8000-000000000001"}}`,
		},
		{
			"approval",
			func(_ *world, c *decide.Decide) { c.Approval = seedSession },
			afresh, `{"code":-32050,"message":"No approval 0198f0aa-1111-7000-8000-0000000000aa was ever opened in this session.",` +
				`"data":{"kind":"approvalNotFound","retryable":false,"approvalId":"0198f0aa-1111-7000-8000-0000000000aa"}}`,
		},
		{
			"terminal",
			func(w *world, c *decide.Decide) { w.choose(c.Session, c.Approval, 0, wire.ChoiceAbort) },
			afresh, `{"code":-32051,"message":"Approval 0198f0ac-0000-7000-8000-000000000002 is settled already: rejected.",` +
				`"data":{"kind":"approvalAlreadyResolved","retryable":false,"approvalId":"0198f0ac-0000-7000-8000-000000000002",` +
				`"resolution":{"decision":"abort","resolvedBy":"user","viewCursor":"v:0198f0ac-0000-7000-8000-000000000001:12","outcome":"rejected"}}}`,
		},
		{
			"terminal, in a closed session",
			func(w *world, c *decide.Decide) { w.do(decide.CloseSession{Intent: w.intent(), Session: c.Session}) },
			afresh, `{"code":-32051,"message":"Approval 0198f0ac-0000-7000-8000-000000000002 is settled already: cancelled.",` +
				`"data":{"kind":"approvalAlreadyResolved","retryable":false,"approvalId":"0198f0ac-0000-7000-8000-000000000002",` +
				`"resolution":{"decision":"abort","resolvedBy":"policy","viewCursor":"v:0198f0ac-0000-7000-8000-000000000001:12","outcome":"cancelled"}}}`,
		},
		{
			"requirement",
			func(*world, *decide.Decide) {},
			recorded, `{"code":-32053,"message":"Requirement 7 of approval 0198f0ac-0000-7000-8000-000000000002 is not the current one; it is 0.",` +
				`"data":{"kind":"approvalRequirementStale","retryable":false,"approvalId":"0198f0ac-0000-7000-8000-000000000002",` +
				`"currentRequirementId":{"approvalId":"0198f0ac-0000-7000-8000-000000000002","sourceIndex":0}}}`,
		},
		{
			"choice",
			func(_ *world, c *decide.Decide) { c.Requirement = 0 },
			recorded, `{"code":-32052,"message":"That choice is not on the menu of the current requirement; select one that is.",` +
				`"data":{"kind":"approvalChoiceInvalid","retryable":false,"approvalId":"0198f0ac-0000-7000-8000-000000000002","choiceId":"allow_local_prefix"}}`,
		},
		{
			"feedback",
			func(_ *world, c *decide.Decide) { c.Requirement, c.Choice = 0, wire.ChoiceAllowOnce },
			afresh, `{"code":-32602,"message":"feedback: the choice allow_once takes none; leave it out.","data":{"kind":"invalidParams","retryable":false}}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			id := w.open(session, file)
			d := w.choice(session, id, 7, wire.ChoiceAllowLocalPrefix)
			d.Feedback = &feedback
			c.prepare(w, &d)
			before := len(w.log)
			r := w.do(d)
			isRefused(t, r, c.recorded, c.want)
			if c.recorded {
				before++
			}
			if len(w.log) != before {
				t.Errorf("%d records, want %d", len(w.log), before)
			}
			again := w.do(d)
			isRefused(t, again, false, c.want) // recorded or not, the same is said again
		})
	}
}

func TestTheLedgerIsAskedBeforeEverythingElse(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id := w.open(session, file)
	d := w.choice(session, id, 0, wire.ChoiceAbort)
	first := w.do(d)
	w.do(decide.CloseSession{Intent: w.intent(), Session: session})
	isAcked(t, w.do(d), string(first.Ack)) // though the approval is settled and the session closed

	d.Payload[0] ^= 1
	d.Approval, d.Requirement = seedSession, 7
	isRefused(t, w.do(d), false, `{"code":-32030,"message":"Command 018f6a2a-0000-7000-8000-000000000003 was used before for something else; `+
		`mint a new commandId.","data":{"kind":"commandRejected","retryable":false,"reason":"command_id_conflict",`+
		`"commandId":"018f6a2a-0000-7000-8000-000000000003"}}`)
}

func TestOnlyTheMenuOfTheRequirementIsAccepted(t *testing.T) {
	every := []wire.ChoiceID{
		wire.ChoiceAllowOnce, wire.ChoiceAllowAllOnce, wire.ChoiceAllowSession, wire.ChoiceAllowLocalPrefix, wire.ChoiceAllowLocalPath,
		wire.ChoiceAllowLocalNetwork, wire.ChoiceAllowLocalMCPTool, wire.ChoiceAbort, "", "deny", "ALLOW_ONCE", "allow_once ",
	}
	for _, c := range []struct {
		name    string
		subject approval.Subject
		want    []wire.ChoiceID
	}{
		{"file", file, []wire.ChoiceID{wire.ChoiceAllowOnce, wire.ChoiceAllowSession, wire.ChoiceAllowLocalPath, wire.ChoiceAbort}},
		{"unknown kind", teleport, []wire.ChoiceID{wire.ChoiceAllowOnce, wire.ChoiceAbort}},
		{"shell, one stage", shell("make"), []wire.ChoiceID{wire.ChoiceAllowOnce, wire.ChoiceAllowSession, wire.ChoiceAbort}},
		{"shell, with a rule to write", shell("git add ."), []wire.ChoiceID{wire.ChoiceAllowOnce, wire.ChoiceAllowSession, wire.ChoiceAllowLocalPrefix, wire.ChoiceAbort}},
		{"shell, two stages", shell("a; b"), []wire.ChoiceID{wire.ChoiceAllowOnce, wire.ChoiceAllowAllOnce, wire.ChoiceAllowSession, wire.ChoiceAbort}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var accepted []wire.ChoiceID
			for _, choice := range every {
				w := newWorld(t)
				session := w.start("")
				r := w.do(w.choice(session, w.open(session, c.subject), 0, choice))
				switch {
				case r.Refusal == nil:
					accepted = append(accepted, choice)
				case r.Refusal.Code != wire.CodeApprovalChoiceInvalid:
					t.Errorf("%q: %v", choice, r.Refusal)
				}
			}
			if diff := cmp.Diff(c.want, accepted); diff != "" {
				t.Errorf("accepted (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFeedbackGoesToTheAgentAndIntoNoEvent(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id := w.open(session, file)
	d := w.choice(session, id, 0, wire.ChoiceAbort)
	feedback := "use <b> && c"
	d.Feedback = &feedback
	r := w.do(d)
	if got := w.approval(session, id).Resolution().Feedback; got != feedback {
		t.Errorf("the agent reads %q", got)
	}
	body, ok := r.Records[0].Body.(*record.ApprovalSettled)
	if !ok || body.Feedback != feedback || body.ChoiceID != "abort" || body.By == nil || body.By.Client != "tester" {
		t.Errorf("record %+v", r.Records[0].Body)
	}
}

func TestAGrantSettlesTheNextCallThatIsTheSame(t *testing.T) {
	for _, c := range []struct {
		name    string
		given   approval.Subject
		next    approval.Subject
		covered bool
	}{
		{"the same file", file, file, true},
		{"the same file, read", file, approval.File{Path: file.Path, Access: "read"}, false},
		{"the same command", shell("make && make test"), shell("make && make test"), true},
		{"the same command, elsewhere", shell("make"), shellIn("make", "/srv"), false},
		{"a longer command", shell("make"), shell("make test"), false},
		{"the same opaque command", shell("make $(x)"), shell("make $(x)"), true},
		{"the same destination", network, network, true},
		{"the same process", process, process, true},
		{"the same tool, other arguments", tool, approval.Tool{ServerName: "github", ToolName: "create_issue", Arguments: []byte(`{"a":1}`)}, true},
		{"another tool", tool, approval.Tool{ServerName: "github", ToolName: "delete_repo"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			session, other := w.start(""), w.start("")
			w.choose(session, w.open(session, c.given), 0, wire.ChoiceAllowSession)
			next := w.open(session, c.next)
			if !c.covered {
				w.isPending(session, next, 0)
				return
			}
			w.endedAs(session, next, approval.BySessionGrant)
			w.isPending(other, w.open(other, c.next), 0) // a grant never reaches another session

			w.do(decide.SetMode{Intent: w.intent(), Session: session, Mode: approval.DenyUnmatched})
			w.endedAs(session, w.open(session, c.next), approval.BySessionGrant)
		})
	}
}

func TestAGrantCoversNoMoreThanItsPreviewSaid(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id := w.open(session, file)
	menu := w.full(session, id).Params(w.session(session).Lineage).AvailableChoices
	r := w.do(w.choice(session, id, 0, wire.ChoiceAllowSession))
	if len(r.Records) != 2 {
		t.Fatalf("%d records", len(r.Records))
	}
	settled, _ := r.Records[0].Body.(*record.ApprovalSettled)
	grant, _ := r.Records[1].Body.(*record.GrantAdded)
	if settled == nil || grant == nil {
		t.Fatalf("a %s and a %s", r.Records[0].Body.Kind(), r.Records[1].Body.Kind())
	}
	preview := menu[1].RulePreview
	if preview != "write /srv/app/a.txt" {
		t.Errorf("preview %q", preview)
	}
	if diff := cmp.Diff(&record.Amendment{Durability: "session", RulePreview: preview}, settled.Amendment); diff != "" {
		t.Errorf("amendment (-want +got):\n%s", diff)
	}
	want := &record.GrantAdded{
		GrantID: mintedID(3), Scope: "session", Reach: record.Reach{Kind: "fileAccess", Path: "/srv/app/a.txt", Access: "write"},
		RulePreview: preview, By: record.Party{Client: "tester", Version: "1.0", Role: "both"},
	}
	if diff := cmp.Diff(want, grant); diff != "" {
		t.Errorf("grant (-want +got):\n%s", diff)
	}
	if r.Records[1].Approval != id || r.Records[1].Command.IsZero() {
		t.Errorf("the grant's header %+v", r.Records[1].Header)
	}
}
