package decide_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

const run = "run_1"

// preparing is the command that prepares call_1, call_2 and so on of the run,
// about these subjects.
func (w *world) preparing(session approval.ID, about ...approval.Subject) decide.Prepare {
	c := decide.Prepare{Intent: w.intent(), Session: session, Run: run}
	for i, s := range about {
		c.Requests = append(c.Requests, decide.Open{Session: session, Action: approval.Action{
			ToolCallID: fmt.Sprintf("call_%d", i+1), ToolName: "tool", RawArgs: `{}`, ArgsDigest: "sha256:aa", Reason: "why",
			Subject: s, Found: found(s), RunID: run,
		}})
	}
	return c
}

// prepared are the approvals of an accepted approval/prepare.
func (w *world) prepared(r decide.Result) (ids []approval.ID) {
	w.t.Helper()
	if r.Refusal != nil {
		w.t.Fatalf("approval/prepare: %v", r.Refusal)
	}
	for _, a := range decoded[wire.ApprovalPrepareResult](w.t, r.Ack).Approvals {
		id, err := approval.ParseID(a.ApprovalID)
		if err != nil {
			w.t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

// taking is the command that consumes approvals of the run as they were prepared.
func (w *world) taking(session approval.ID, ids ...approval.ID) decide.ConsumeAll {
	w.t.Helper()
	c := decide.ConsumeAll{Intent: w.intent(), Session: session, Run: run}
	for _, id := range ids {
		c.Items = append(c.Items, decide.Taking{
			Approval: id, ToolCall: w.approval(session, id).ToolCallID, ArgsDigest: "sha256:aa", Action: approval.Action{Subject: file},
		})
	}
	return c
}

// decisions are those of an accepted approval/consumeAll, in a line each.
func (w *world) decisions(r decide.Result) (lines []string) {
	w.t.Helper()
	if r.Refusal != nil {
		w.t.Fatalf("approval/consumeAll: %v", r.Refusal)
	}
	for _, d := range decoded[wire.ApprovalConsumeAllResult](w.t, r.Ack).Decisions {
		line := fmt.Sprintf("%s %s (%s, %s) consumed %t", d.ToolCallID, d.PolicyResult, d.Outcome, d.Decision, d.Consumed)
		if d.Permit != nil {
			line += ", permit"
		}
		if d.Denial != nil {
			line += ", " + string(d.Denial.Kind)
		}
		lines = append(lines, line)
	}
	return lines
}

func (w *world) approvals() (n int) {
	for _, r := range w.log {
		if r.Body.Kind() == record.KindApprovalOpened {
			n++
		}
	}
	return n
}

// Seed C, "Passes": two calls that are decided one a pass finish in three passes
// and leave exactly two approvals.
func TestTwoCallsDecidedOnePerPassTakeThreePassesAndTwoApprovals(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	passes := 0
	var first []approval.ID
	pass := func() decide.Result {
		passes++
		ids := w.prepared(w.do(w.preparing(session, file, network)))
		if first == nil {
			first = ids
		}
		if diff := cmp.Diff(first, ids); diff != "" {
			t.Fatalf("pass %d found others (-first +this):\n%s", passes, diff)
		}
		return w.do(w.taking(session, ids...))
	}
	for n := range 2 {
		r := pass()
		if r.Refusal == nil || r.Refusal.Code != wire.CodeApprovalPending || r.Refusal.Data.ApprovalID != first[n].String() || len(r.Records) != 0 {
			t.Fatalf("pass %d: %v %s, %d records; want the first that is undecided", passes, r.Refusal, r.Ack, len(r.Records))
		}
		w.choose(session, first[n], 0, wire.ChoiceAllowOnce)
	}
	got := w.decisions(pass())
	want := []string{
		"call_1 allow (allowedOnce, approved) consumed true, permit",
		"call_2 allow (allowedOnce, approved) consumed true, permit",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("decisions (-want +got):\n%s", diff)
	}
	if passes != 3 || w.approvals() != 2 {
		t.Errorf("%d passes left %d approvals", passes, w.approvals())
	}
}

// A batch is one command: the records of one commit, of which one is the ledger's
// entry.
func TestABatchIsOneCommand(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	command := w.preparing(session, file, shell("true"), network)
	prepare := w.do(command)
	isAcked(t, prepare, `{"commandId":"018f6a2a-0000-7000-8000-000000000002","status":"accepted","approvals":[`+
		`{"approvalId":"0198f0ac-0000-7000-8000-000000000002","toolCallId":"call_1","argsDigest":"sha256:aa","subjectDigest":"`+subjectDigest(w, session, 2)+`","created":true},`+
		`{"approvalId":"0198f0ac-0000-7000-8000-000000000003","toolCallId":"call_2","argsDigest":"sha256:aa","subjectDigest":"`+subjectDigest(w, session, 3)+`","created":true,`+
		`"resolution":{"approvalId":"0198f0ac-0000-7000-8000-000000000003","toolCallId":"call_2","outcome":"allowedOnce","decision":"approved","policyResult":"allow",`+
		`"resolvedBy":"policy","source":"builtin","decidedAt":"2026-01-02T03:04:05.678Z","permit":{"argsDigest":"sha256:aa","subjectDigest":"`+subjectDigest(w, session, 3)+`"}}},`+
		`{"approvalId":"0198f0ac-0000-7000-8000-000000000004","toolCallId":"call_3","argsDigest":"sha256:aa","subjectDigest":"`+networkDigest+`","created":true}]}`)
	oneEntry(t, prepare, record.KindApprovalOpened, record.KindApprovalOpened, record.KindApprovalSettled, record.KindApprovalOpened)

	command.Intent = w.intent()
	again := w.do(command)
	oneEntry(t, again, record.KindCommandSettled)
	for _, a := range decoded[wire.ApprovalPrepareResult](t, again.Ack).Approvals {
		if a.Created || a.Resolution != nil {
			t.Errorf("it was found, and the ack says %+v", a)
		}
	}

	ids := w.prepared(prepare)
	w.choose(session, ids[0], 0, wire.ChoiceAbort)
	w.choose(session, ids[2], 0, wire.ChoiceAllowOnce)
	oneEntry(t, w.do(w.taking(session, ids...)), record.KindApprovalConsumed, record.KindApprovalConsumed, record.KindApprovalConsumed)
	oneEntry(t, w.do(w.taking(session, ids...)), record.KindCommandSettled)
}

// oneEntry reports an error unless the records are of these kinds, and one of them
// is the ledger's entry.
func oneEntry(t *testing.T, r decide.Result, want ...record.Kind) {
	t.Helper()
	var got []record.Kind
	entries := 0
	for _, rec := range r.Records {
		got = append(got, rec.Body.Kind())
		if in := rec.Intake(); in != nil {
			entries++
			if string(in.Ack) != string(r.Ack) {
				t.Errorf("the ledger has %s for the ack %s", in.Ack, r.Ack)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || entries != 1 {
		t.Errorf("%d entries in the ledger, records (-want +got):\n%s", entries, diff)
	}
}

func subjectDigest(w *world, session approval.ID, minted int) string {
	digest := w.approval(session, mintedID(minted)).Claim.SubjectDigest
	return digest
}

// The checks of approval/prepare, each before those below it, and what is wrong
// in one request alone. Nothing is ever opened.
func TestAPrepareThatIsRefusedOpensNothing(t *testing.T) {
	unfit := wire.NewError(wire.CodeInvalidParams, "subject: no.")
	stale := wire.NewError(wire.CodeApprovalMismatch, "It changed.", func(d *wire.ErrorData) { d.Reason = wire.ReasonTargetChanged })
	args := func(c *decide.Prepare) { c.Requests[0].Action.ArgsDigest = "sha256:bb" } // of what is there
	for _, c := range []struct {
		name     string
		edit     func(w *world, c *decide.Prepare)
		code     int
		reason   wire.Reason
		recorded bool
	}{
		{"closed session", func(w *world, c *decide.Prepare) {
			w.do(decide.CloseSession{Intent: w.intent(), Session: c.Session})
			c.Requests[1].Unfit = unfit
		}, wire.CodeCommandRejected, wire.ReasonSessionClosed, false},
		{"unfit subject of the last", func(_ *world, c *decide.Prepare) {
			args(c)
			c.Requests[1].Stale, c.Requests[2].Unfit = stale, unfit
		}, wire.CodeInvalidParams, "", false},
		{"a subject that cannot be kept", func(_ *world, c *decide.Prepare) {
			args(c)
			c.Requests[2].Action.Subject = approval.Unknown{Name: "x", Raw: []byte(`{"kind":"shell"}`)}
		}, wire.CodeInvalidParams, "", false},
		{"other arguments", func(w *world, c *decide.Prepare) {
			args(c)
			w.limits.MaxPending = 1
		}, wire.CodeApprovalMismatch, wire.ReasonArgsMismatch, true},
		{"another tool", func(_ *world, c *decide.Prepare) {
			args(c)
			c.Requests[0].Action.ToolName = "another"
		}, wire.CodeApprovalMismatch, wire.ReasonCallMismatch, true},
		{"a stale operation", func(w *world, c *decide.Prepare) {
			c.Requests[2].Stale = stale
			w.limits.MaxPending = 1
		}, wire.CodeApprovalMismatch, wire.ReasonTargetChanged, true},
		{"too many pending", func(w *world, _ *decide.Prepare) { w.limits.MaxPending = 2 }, wire.CodeBackpressured, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			w.do(w.preparing(session, file))
			command := w.preparing(session, file, network, tool)
			c.edit(w, &command)
			before, minted := w.approvals(), w.minted
			r := w.do(command)
			if r.Refusal == nil || r.Refusal.Code != c.code || r.Refusal.Data.Reason != c.reason || len(r.Records) > 0 != c.recorded {
				t.Errorf("%v %s, %d records; want %d %s, recorded %t", r.Refusal, r.Ack, len(r.Records), c.code, c.reason, c.recorded)
			}
			if w.approvals() != before || w.minted != minted {
				t.Errorf("%d approvals and %d ids more", w.approvals()-before, w.minted-minted)
			}
		})
	}
}

// Of a call that is found, what its request says of the outside is not asked: a
// pass finds what the one before it prepared.
func TestWhatIsFoundIsFoundThoughItsTargetIsGone(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	w.limits.MaxPending = 1
	ids := w.prepared(w.do(w.preparing(session, file)))
	command := w.preparing(session, file)
	command.Requests[0].Unfit = wire.NewError(wire.CodeInvalidParams, "subject: there is no such directory.")
	command.Requests[0].Stale = wire.NewError(wire.CodeApprovalMismatch, "It changed.")
	if diff := cmp.Diff(ids, w.prepared(w.do(command))); diff != "" {
		t.Errorf("found (-first +second):\n%s", diff)
	}
}

func TestAPrepareFindsTheSuccessorOfARestart(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	ids := w.prepared(w.do(w.preparing(session, file, network)))
	w.choose(session, ids[1], 0, wire.ChoiceAllowOnce)
	successor := approval.Successor(session, ids[0], w.approval(session, ids[0]).Opened)
	w.do(decide.Recover{Session: session})
	if diff := cmp.Diff([]approval.ID{successor, ids[1]}, w.prepared(w.do(w.preparing(session, file, network)))); diff != "" {
		t.Errorf("after a restart (-want +got):\n%s", diff)
	}
	r := w.do(w.taking(session, ids...))
	if r.Refusal == nil || r.Refusal.Data.Reason != wire.ReasonSuperseded || r.Refusal.Data.SuccessorApprovalID != successor.String() {
		t.Errorf("the old ones: %v %s", r.Refusal, r.Ack)
	}
	if !w.approval(session, ids[1]).ConsumedBy.IsZero() {
		t.Error("something was consumed")
	}
}

// A call may be asked about anew once its approval is consumed or void.
func TestAPrepareOpensAnewWhatIsConsumedOrVoid(t *testing.T) {
	for name, end := range map[string]func(w *world, session, id approval.ID) decide.Command{
		"consumed": func(w *world, s, id approval.ID) decide.Command { return w.taking(s, id) },
		"void": func(w *world, s, id approval.ID) decide.Command {
			return decide.Cancel{Intent: w.intent(), Session: s, Approval: id}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			before := w.prepared(w.do(w.preparing(session, file)))[0]
			w.choose(session, before, 0, wire.ChoiceAllowOnce)
			w.do(end(w, session, before))
			after := w.prepared(w.do(w.preparing(session, file)))[0]
			if after == before {
				t.Fatal("it was found")
			}
			w.isPending(session, after, 0)
		})
	}
}

// The checks of approval/consumeAll in the order of protocol §7, each made of all
// items before the next. Nothing is ever consumed.
func TestAConsumeAllThatIsRefusedConsumesNothing(t *testing.T) {
	unknown := func(c *decide.ConsumeAll) { c.Items[2].Approval = approval.ID{15: 0xff} }
	differs := func(c *decide.ConsumeAll) { c.Items[1].ArgsDigest = "sha256:bb" }
	for _, c := range []struct {
		name     string
		edit     func(w *world, c *decide.ConsumeAll)
		code     int
		reason   wire.Reason
		recorded bool
	}{
		{"closed session", func(w *world, c *decide.ConsumeAll) {
			w.do(decide.CloseSession{Intent: w.intent(), Session: c.Session})
			unknown(c)
		}, wire.CodeCommandRejected, wire.ReasonSessionClosed, false},
		{"unknown", func(_ *world, c *decide.ConsumeAll) { differs(c); unknown(c) }, wire.CodeApprovalNotFound, "", false},
		{"other arguments", func(_ *world, c *decide.ConsumeAll) { differs(c) }, wire.CodeApprovalMismatch, wire.ReasonArgsMismatch, true},
		{"another call", func(_ *world, c *decide.ConsumeAll) { c.Items[2].ToolCall = "call_9" }, wire.CodeApprovalMismatch, wire.ReasonCallMismatch, true},
		{"another run", func(_ *world, c *decide.ConsumeAll) { c.Run = "run_2" }, wire.CodeApprovalMismatch, wire.ReasonCallMismatch, true},
		{"other arguments of a pending one", func(_ *world, c *decide.ConsumeAll) { c.Items[0].ArgsDigest = "x" }, wire.CodeApprovalMismatch, wire.ReasonArgsMismatch, true},
		{"pending", func(*world, *decide.ConsumeAll) {}, wire.CodeApprovalPending, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			ids := w.prepared(w.do(w.preparing(session, file, network, tool)))
			w.choose(session, ids[1], 0, wire.ChoiceAllowOnce)
			w.choose(session, ids[2], 0, wire.ChoiceAbort)
			command := w.taking(session, ids...)
			c.edit(w, &command)
			r := w.do(command)
			if r.Refusal == nil || r.Refusal.Code != c.code || r.Refusal.Data.Reason != c.reason || len(r.Records) > 0 != c.recorded {
				t.Errorf("%v %s, %d records; want %d %s, recorded %t", r.Refusal, r.Ack, len(r.Records), c.code, c.reason, c.recorded)
			}
			for _, id := range ids {
				if !w.approval(session, id).ConsumedBy.IsZero() {
					t.Errorf("%s was consumed", id)
				}
			}
		})
	}
}

// What is not taken denies its call, and no other, and is left as it is.
func TestWhatIsNotTakenDeniesItsCallAndIsLeftAsItIs(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(w *world, c *decide.ConsumeAll)
		want string // of call_1; call_2 is allowed
		free bool   // call_1 can still be consumed
	}{
		"vetted otherwise": {func(_ *world, c *decide.ConsumeAll) { c.Items[0].Expect = wire.PolicyDeny },
			"call_1 deny (allowedOnce, denied) consumed false, conflict", true},
		"consumed by another": {func(w *world, c *decide.ConsumeAll) { w.do(w.taking(c.Session, c.Items[0].Approval)) },
			"call_1 deny (allowedOnce, denied) consumed false, conflict", false},
		"consumed alone": {func(w *world, c *decide.ConsumeAll) { w.do(w.consuming(c.Session, c.Items[0].Approval)) },
			"call_1 deny (allowedOnce, denied) consumed false, conflict", false},
		"void": {func(w *world, c *decide.ConsumeAll) {
			w.do(decide.Cancel{Intent: w.intent(), Session: c.Session, ToolCall: "call_1"})
		}, "call_1 deny (allowedOnce, denied) consumed false, conflict", false},
		"a changed target": {func(_ *world, c *decide.ConsumeAll) { c.Items[0].Changed = "the file was edited" },
			"call_1 deny (allowedOnce, denied) consumed false, conflict", true},
		"as vetted": {func(_ *world, c *decide.ConsumeAll) { c.Items[0].Expect = wire.PolicyAllow },
			"call_1 allow (allowedOnce, approved) consumed true, permit", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			ids := w.prepared(w.do(w.preparing(session, file, network)))
			w.choose(session, ids[0], 0, wire.ChoiceAllowOnce)
			w.choose(session, ids[1], 0, wire.ChoiceAllowOnce)
			command := w.taking(session, ids...)
			command.Items[1].Expect = wire.PolicyAllow
			c.edit(w, &command)
			opened := w.approvals()
			want := []string{c.want, "call_2 allow (allowedOnce, approved) consumed true, permit"}
			if diff := cmp.Diff(want, w.decisions(w.do(command))); diff != "" {
				t.Errorf("decisions (-want +got):\n%s", diff)
			}
			if got := w.approval(session, ids[0]).Claimable(); got != c.free {
				t.Errorf("call_1 can be consumed: %t", got)
			}
			if w.approvals() != opened {
				t.Error("a new approval appeared")
			}
		})
	}
}

// A deny rule of now stops a batch's permit as it stops a single one.
func TestADenyRuleOfNowStopsOneCallOfABatch(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	line := shell("make")
	ids := w.prepared(w.do(w.preparing(session, line, network)))
	w.choose(session, ids[0], 0, wire.ChoiceAllowOnce)
	w.choose(session, ids[1], 0, wire.ChoiceAllowOnce)
	command := w.taking(session, ids...)
	command.Items[0].Action, command.Items[1].Action.Subject = approval.Action{Subject: line, Found: found(line)}, network
	w.rules(denying("make"))
	want := []string{
		"call_1 deny (allowedOnce, denied) consumed false, conflict",
		"call_2 allow (allowedOnce, approved) consumed true, permit",
	}
	if diff := cmp.Diff(want, w.decisions(w.do(command))); diff != "" {
		t.Errorf("decisions (-want +got):\n%s", diff)
	}
}

// Denials are consumed as denials, whatever has become of their targets.
func TestDenialsOfABatchAreConsumed(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	ids := w.prepared(w.do(w.preparing(session, file, network)))
	w.choose(session, ids[0], 0, wire.ChoiceAbort)
	w.do(decide.Cancel{Intent: w.intent(), Session: session, Approval: ids[1]})
	command := w.taking(session, ids...)
	command.Items[0].Changed, command.Items[0].Expect = "the file was edited", wire.PolicyDeny
	want := []string{
		"call_1 deny (rejected, abort) consumed true, rejected",
		"call_2 deny (cancelled, abort) consumed true, cancelled",
	}
	if diff := cmp.Diff(want, w.decisions(w.do(command))); diff != "" {
		t.Errorf("decisions (-want +got):\n%s", diff)
	}
}

// Reviewers may have said so much that no frame could tell it: then nothing is
// taken, and a permit among it is not lost.
func TestABatchWhoseDecisionsNoFrameCanHoldIsNotTaken(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	ids := w.prepared(w.do(w.preparing(session, slices.Repeat([]approval.Subject{tool}, 256)...)))
	w.choose(session, ids[0], 0, wire.ChoiceAllowOnce)
	said := strings.Repeat("\x01", 16<<10) // a character takes six bytes, and is told twice
	for _, id := range ids[1:] {
		rejected := w.choice(session, id, 0, wire.ChoiceAbort)
		rejected.Feedback = &said
		if r := w.do(rejected); r.Refusal != nil {
			t.Fatal(r.Refusal)
		}
	}
	isRefused(t, w.do(w.taking(session, ids...)), false, `{"code":-32602,`+
		`"message":"items: what was decided about these 256 is more than a frame can hold. Nothing was consumed; take fewer at once.",`+
		`"data":{"kind":"invalidParams","retryable":false}}`)
	for part := range slices.Chunk(ids, 32) {
		r := w.do(w.taking(session, part...))
		if r.Refusal != nil || len(r.Ack) > wire.MaxFrame {
			t.Fatalf("%v, an ack of %d bytes", r.Refusal, len(r.Ack))
		}
		for i, line := range w.decisions(r) {
			if !strings.Contains(line, "consumed true") {
				t.Errorf("%s: %s", part[i], line)
			}
		}
	}
}
