package decide_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/policy"
	split "github.com/approvald/approvald/internal/policy/shell"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

func TestAnOpenedApprovalIsPendingWithTheMenuOfItsSubject(t *testing.T) {
	for _, c := range []struct {
		name    string
		subject approval.Subject
		want    string
	}{
		{"file", file, "requested 0: allow_once allow_session allow_local_path abort"},
		{"network", network, "requested 0: allow_once allow_session allow_local_network abort"},
		{"process", process, "requested 0: allow_once allow_session abort"},
		{"tool", tool, "requested 0: allow_once allow_session allow_local_mcp_tool abort"},
		{"unknown kind", teleport, "requested 0: allow_once abort"},
		{"shell, one stage", shell("make"), "requested 0: allow_once allow_session abort"},
		{"shell, two stages", shell("make && make test"), "requested 0: allow_once allow_all_once allow_session abort"},
		{"shell, one of two is safe", shell("true && make"), "requested 1: allow_once allow_session abort"},
		{"shell, two of three are open", shell("make; true; make test"), "requested 0: allow_once allow_all_once allow_session abort"},
		{"shell, a command in a word", shell("make $(x)"), "requested 0: allow_once allow_all_once allow_session abort"},
		{"shell, not to be parsed", shell("make $(("), "requested 0: allow_once allow_session abort"},
		{"shell, a rule may be written", shell("git add ."), "requested 0: allow_once allow_session allow_local_prefix abort"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			r := w.do(w.opening(w.start(""), c.subject))
			if diff := cmp.Diff([]string{c.want}, w.tell(r)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheAckOfAnOpeningSaysWhatWasAdmitted(t *testing.T) {
	for _, c := range []struct {
		name string
		mode approval.Mode
		want string // from state on
	}{
		{"pending", approval.PromptUnmatched, `"state":"pending"}`},
		{"allowed at once", approval.AllowAll, `"state":"resolved","resolution":{"approvalId":"0198f0ac-0000-7000-8000-000000000002","toolCallId":"call_2",` +
			`"outcome":"allowedOnce","decision":"approved","policyResult":"allow","resolvedBy":"policy","source":"mode","decidedAt":"2026-01-02T03:04:05.678Z",` +
			`"permit":{"argsDigest":"sha256:aa","subjectDigest":"` + networkDigest + `"}}}`},
		{"denied at once", approval.DenyUnmatched, `"state":"resolved","resolution":{"approvalId":"0198f0ac-0000-7000-8000-000000000002","toolCallId":"call_2",` +
			`"outcome":"rejected","decision":"denied","policyResult":"deny","resolvedBy":"policy","source":"mode","decidedAt":"2026-01-02T03:04:05.678Z",` +
			`"denial":{"kind":"policy","message":"The call of \"tool\" was not carried out: the user's policy denies it. Nothing in force covers a connection to \"example.org\" port 443, ` +
			`and the mode denyUnmatched denies it. Repeating the same call will not help."}}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			r := w.do(w.opening(w.start(c.mode), network))
			isAcked(t, r, `{"commandId":"018f6a2a-0000-7000-8000-000000000002","status":"accepted","approvalId":"0198f0ac-0000-7000-8000-000000000002",`+
				`"toolCallId":"call_2","argsDigest":"sha256:aa","subjectDigest":"`+networkDigest+`",`+c.want)
		})
	}
}

// networkDigest is the SHA-256 of the canonical form of the network subject:
// {"host":"example.org","kind":"network","port":443,"protocol":"https"}.
const networkDigest = "sha256:11c915c332db4b8cda1f760b19031ade34af6f3ef27c54709f30c18b2247b2fb"

// The rows of policy.md "Verdict" as they reach subscribers: automatic
// outcomes emit requested, then resolved.
func TestWhatPolicySettlesIsRequestedThenResolved(t *testing.T) {
	for _, c := range []struct {
		name      string
		mode      approval.Mode
		requested bool
		subject   approval.Subject
		want      []string
	}{
		{"allowAll", approval.AllowAll, false, file, []string{"requested 0:", "resolved approved by policy (mode)"}},
		{"allowAll, asked to be asked", approval.AllowAll, true, file, []string{"requested 0:", "resolved approved by policy (mode)"}},
		{"allowAll, unknown kind", approval.AllowAll, false, teleport, []string{"requested 0: allow_once abort"}},
		{"onRequest", approval.OnRequest, false, file, []string{"requested 0:", "resolved approved by policy (mode)"}},
		{"onRequest, asked to be asked", approval.OnRequest, true, file, []string{"requested 0: allow_once allow_session allow_local_path abort"}},
		{"onRequest, unknown kind", approval.OnRequest, false, teleport, []string{"requested 0: allow_once abort"}},
		{"promptUnmatched", approval.PromptUnmatched, false, file, []string{"requested 0: allow_once allow_session allow_local_path abort"}},
		{"denyUnmatched", approval.DenyUnmatched, false, file, []string{"requested 0:", "resolved denied by policy (mode)"}},
		{"denyUnmatched, unknown kind", approval.DenyUnmatched, false, teleport, []string{"requested 0:", "resolved denied by policy (mode)"}},
		{"denyUnmatched, safe", approval.DenyUnmatched, false, shell("true && test -f a"), []string{"requested 0:", "resolved approved by policy (builtin)"}},
		{"denyUnmatched, partly safe", approval.DenyUnmatched, false, shell("true && make"), []string{"requested 0:", "resolved denied by policy (mode)"}},
		{"allowAll, stages", approval.AllowAll, false, shell("make && make test"), []string{"requested 0:", "resolved approved by policy (mode)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			r := w.do(w.opening(w.start(c.mode), c.subject, func(o *decide.Open) { o.Action.Requested = c.requested }))
			if diff := cmp.Diff(c.want, w.tell(r)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheOpeningRecordKeepsWhatTheAgentSaid(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	r := w.do(decide.Open{
		Intent: w.intent(), Session: session, Diff: "-a\n+b\n", Timeout: 1500 * time.Millisecond, Unattended: approval.Refuse,
		Action: approval.Action{
			ToolCallID: "call", ToolName: "write", RawArgs: `{"a": 1}`, ArgsDigest: "sha256:aa", Reason: "why", Justification: "because",
			Operation: []byte(`{"kind":"x"}`), TurnID: "turn", TaskID: "task", ItemID: "item", ParentToolCallID: "parent", RunID: "run",
			Requested: true, Subject: network,
		},
	})
	body, ok := r.Records[0].Body.(*record.ApprovalOpened)
	if !ok {
		t.Fatalf("a %s", r.Records[0].Body.Kind())
	}
	expires := w.now.UnixMilli() + 1500
	want := &record.ApprovalOpened{
		ToolCallID: "call", ToolName: "write", RawArgs: `{"a": 1}`, ArgsDigest: "sha256:aa", Reason: "why", Justification: "because",
		Operation: []byte(`{"kind":"x"}`), TurnID: "turn", TaskID: "task", ItemID: "item", ParentToolCallID: "parent", RunID: "run",
		Requested: true, Subject: []byte(`{"kind":"network","host":"example.org","port":443,"protocol":"https"}`), SubjectDigest: networkDigest,
		Diff: "-a\n+b\n", Menu: body.Menu,
		Policy:    []byte(`{"source":"mode","explanation":"Nothing in force covers a connection to \"example.org\" port 443, and the mode promptUnmatched asks."}`),
		ExpiresAt: &expires, Unattended: "refuse", By: record.Party{Client: "tester", Version: "1.0", Role: "both"}, Command: body.Command,
	}
	if diff := cmp.Diff(want, body); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
}

func TestWhatTheAgentLeavesOutHasItsDefault(t *testing.T) {
	w := newWorld(t)
	session := w.start("", func(c *decide.StartSession) { c.Unattended = approval.Refuse })
	id := w.open(session, file)
	r := w.full(session, id).Request
	got := []string{r.TurnID, r.TaskID, r.ItemID, r.Unattended, r.Justification}
	want := []string{id.String(), id.String(), id.String(), "refuse", `Nothing in force covers writing "/srv/app/a.txt", and the mode promptUnmatched asks.`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("turn, task, item, unattended, justification (-want +got):\n%s", diff)
	}
	if r.ExpiresAt != nil {
		t.Errorf("it expires at %d", *r.ExpiresAt)
	}
}

func TestACallWithoutAnIDIsNumberedUnderItsParent(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	nested := func(o *decide.Open) { o.Action.ToolCallID, o.Action.ParentToolCallID = "", "p" }
	var got []string
	for range 3 {
		r := w.do(w.opening(session, file, nested))
		got = append(got, decoded[wire.ApprovalOpenResult](t, r.Ack).ToolCallID)
	}
	if diff := cmp.Diff([]string{"p/1", "p/2", "p/3"}, got); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func TestStagesCarryTheApprovalsOwnID(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id := w.open(session, shell("make && make test"))
	sh, ok := w.full(session, id).Subject().(approval.Shell)
	if !ok || len(sh.Stages) != 2 {
		t.Fatalf("subject %#v", w.full(session, id).Subject())
	}
	for i, stage := range sh.Stages {
		if want := (approval.RequirementID{Approval: id, SourceIndex: i}); stage.RequirementID != want {
			t.Errorf("stage %d is %v", i, stage.RequirementID)
		}
	}
}

// The shell splits a command before the writer sees it; the approval has no
// identity then.
func TestStagesThatWereSplitBeforeBecomeTheApprovalsOwn(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	subject := shell("true && make && make test")
	subject.Stages = policy.Stages(approval.ID{15: 0xee}, split.Stages(subject.Command, subject.Shell, ""))
	r := w.do(w.opening(session, subject))
	if diff := cmp.Diff([]string{"requested 1: allow_once allow_all_once allow_session abort"}, w.tell(r)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	unsplit := w.open(session, shell(subject.Command))
	same := func(id approval.ID) []approval.Stage {
		sh, _ := w.full(session, id).Subject().(approval.Shell)
		for _, stage := range sh.Stages {
			if stage.RequirementID.Approval != id {
				t.Errorf("a stage of %s is %v", id, stage.RequirementID)
			}
		}
		return policy.Own(approval.ID{}, sh.Stages)
	}
	if diff := cmp.Diff(same(unsplit), same(r.Records[0].Approval)); diff != "" {
		t.Errorf("stages (-split here +split before):\n%s", diff)
	}
	if got := subject.Stages[0].RequirementID.Approval; got != (approval.ID{15: 0xee}) {
		t.Errorf("the command that was given is changed: %s", got)
	}
}

// Hostile text takes time to parse that the writer must not spend: what it is
// given split it does not split again.
func TestACommandThatIsSplitAlreadyIsNotParsed(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	subject := shell("make && make test")
	subject.Stages = policy.Stages(approval.ID{}, split.Stages("something else", subject.Shell, ""))
	id := w.open(session, subject)
	if got, _ := w.full(session, id).Subject().(approval.Shell); len(got.Stages) != 1 || got.Stages[0].Argv[0] != "something" {
		t.Errorf("the stages are %+v", got.Stages)
	}
}

func TestOpeningIsRefused(t *testing.T) {
	deep := `{"a":` + strings.Repeat("[", 63) + strings.Repeat("]", 63) + `}`
	const noSubject = `{"code":-32602,"message":"subject: `
	for _, c := range []struct {
		name    string
		prepare func(*world, *decide.Open)
		want    string
	}{
		{
			"in a session that never was",
			func(_ *world, o *decide.Open) { o.Session = seedSession },
			`{"code":-32020,"message":"There is no session 0198f0aa-1111-7000-8000-0000000000aa.","data":{"kind":"sessionNotFound","retryable":false,` +
				`"sessionId":"0198f0aa-1111-7000-8000-0000000000aa"}}`,
		},
		{
			"in a session that is closed, full as it may be",
			func(w *world, o *decide.Open) {
				w.limits.MaxPending = 0
				w.do(decide.CloseSession{Intent: w.intent(), Session: o.Session})
			},
			`{"code":-32030,"message":"Session 0198f0ac-0000-7000-8000-000000000001 is closed; start another.","data":{"kind":"commandRejected",` +
				`"retryable":false,"reason":"session_closed","commandId":"018f6a2a-0000-7000-8000-000000000002","sessionId":"0198f0ac-0000-7000-8000-000000000001"}}`,
		},
		{
			"in a session that holds as many as it may",
			func(w *world, o *decide.Open) {
				w.limits.MaxPending = 2
				w.open(o.Session, file)
				w.open(o.Session, file)
			},
			`{"code":-32031,"message":"The session holds 2 pending approvals, as many as it may; wait until some are decided.",` +
				`"data":{"kind":"backpressured","retryable":true,"capacity":2}}`,
		},
		{
			"for a subject whose kind the log would read as another",
			func(_ *world, o *decide.Open) {
				o.Action.Subject = approval.Unknown{Name: "teleport", Raw: []byte(`{"KIND":"teleport","kind":"shell","stages":[]}`)}
			},
			noSubject + `it is not of the kind that it was taken for.","data":{"kind":"invalidParams","retryable":false}}`,
		},
		{
			"for a subject that is no object",
			func(_ *world, o *decide.Open) {
				o.Action.Subject = approval.Unknown{Name: "teleport", Raw: []byte(`[]`)}
			},
			noSubject + `it is not of the kind that it was taken for.","data":{"kind":"invalidParams","retryable":false}}`,
		},
		{
			"for a tool whose arguments nest too deep beside its name",
			func(_ *world, o *decide.Open) {
				o.Action.Subject = approval.Tool{ToolName: "t", Arguments: []byte(deep)}
			},
			noSubject + `JSON is nested deeper than 64 levels.","data":{"kind":"invalidParams","retryable":false}}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			o := w.opening(w.start(""), file)
			c.prepare(w, &o)
			minted := w.minted
			isRefused(t, w.do(o), false, c.want)
			if w.minted != minted {
				t.Error("an id was minted for it")
			}
		})
	}
}

func TestBackpressureEndsWhenAnApprovalIsDecided(t *testing.T) {
	w := newWorld(t)
	w.limits.MaxPending = 1
	session := w.start("")
	id := w.open(session, file)
	held := w.opening(session, file)
	if r := w.do(held); r.Refusal == nil {
		t.Fatal("it was admitted beyond the bound")
	}
	w.choose(session, id, 0, wire.ChoiceAbort)
	if r := w.do(held); r.Refusal != nil { // the same command: the refusal was not recorded
		t.Errorf("refused: %v", r.Refusal)
	}
}

func TestARefusingApprovalNeedsAReviewerWhenItOpens(t *testing.T) {
	for _, c := range []struct {
		name           string
		session, asked approval.Unattended
		attended       bool
		subject        approval.Subject
		mode           approval.Mode
		want           approval.Resolution // zero: pending
	}{
		{"nobody there", approval.Park, approval.Refuse, false, file, "", approval.ByNobodyThere},
		{"nobody there, as the session says", approval.Refuse, "", false, file, "", approval.ByNobodyThere},
		{"nobody there, an unknown kind", approval.Refuse, "", false, teleport, approval.AllowAll, approval.ByNobodyThere},
		{"somebody there", approval.Refuse, "", true, file, "", approval.Resolution{}},
		{"it may wait", approval.Park, "", false, file, "", approval.Resolution{}},
		{"it may wait, whatever the session says", approval.Refuse, approval.Park, false, file, "", approval.Resolution{}},
		{"policy needs nobody", approval.Refuse, "", false, file, approval.AllowAll, approval.ByModeAllow},
		{"policy denies first", approval.Refuse, "", false, file, approval.DenyUnmatched, approval.ByModeDeny},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.attended = c.attended
			session := w.start(c.mode, func(s *decide.StartSession) { s.Unattended = c.session })
			r := w.do(w.opening(session, c.subject, func(o *decide.Open) { o.Unattended = c.asked }))
			id := r.Records[0].Approval
			if c.want == (approval.Resolution{}) {
				w.isPending(session, id, 0)
				return
			}
			w.endedAs(session, id, c.want)
			if got := decoded[wire.ApprovalOpenResult](t, r.Ack); got.State != wire.StateResolved || got.Resolution == nil {
				t.Errorf("ack %s", r.Ack)
			}
		})
	}
}
