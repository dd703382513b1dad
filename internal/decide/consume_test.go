package decide_test

import (
	"testing"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

// consuming is the command that takes what was decided about an approval, for
// the call and the arguments that it was opened with.
func (w *world) consuming(session, id approval.ID, more ...func(*decide.Consume)) decide.Consume {
	w.t.Helper()
	c := decide.Consume{Intent: w.intent(), Session: session, Approval: id, Action: approval.Action{Subject: file}}
	if a := w.approval(session, id); a.Claim != nil {
		c.ToolCall, c.ArgsDigest, c.SubjectDigest = a.ToolCallID, a.Claim.ArgsDigest, a.Claim.SubjectDigest
	}
	for _, m := range more {
		m(&c)
	}
	return c
}

func TestAPermitIsTakenOnceForExactlyWhatWasApproved(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id := w.open(session, file)
	w.choose(session, id, 0, wire.ChoiceAllowOnce)
	take := w.consuming(session, id)
	first := w.do(take)
	got := decoded[wire.ApprovalConsumeResult](t, first.Ack)
	claim := w.approval(session, id).Claim
	if !got.Consumed || got.PolicyResult != wire.PolicyAllow || *got.Permit != (wire.Permit{ArgsDigest: claim.ArgsDigest, SubjectDigest: claim.SubjectDigest}) {
		t.Errorf("ack %s", first.Ack)
	}
	again := w.do(take)
	if string(again.Ack) != string(first.Ack) || len(again.Records) != 0 {
		t.Errorf("the same command again: %s, %d records", again.Ack, len(again.Records))
	}
	if r := w.do(w.consuming(session, id)); r.Refusal == nil || r.Refusal.Code != wire.CodeApprovalAlreadyConsumed {
		t.Errorf("another command: %v %s", r.Refusal, r.Ack)
	}
}

// The reasons of protocol §7, each of which consumes nothing.
func TestAMismatchConsumesNothingAndSaysWhichPartDiffers(t *testing.T) {
	for name, c := range map[string]struct {
		before func(w *world, session, id approval.ID)
		edit   func(*decide.Consume)
		want   wire.Reason
	}{
		"another call":     {nil, func(c *decide.Consume) { c.ToolCall = "call_x" }, wire.ReasonCallMismatch},
		"other arguments":  {nil, func(c *decide.Consume) { c.ArgsDigest = "sha256:bb" }, wire.ReasonArgsMismatch},
		"another subject":  {nil, func(c *decide.Consume) { c.SubjectDigest = "sha256:bb" }, wire.ReasonSubjectMismatch},
		"a changed target": {nil, func(c *decide.Consume) { c.Changed = "the file was edited" }, wire.ReasonTargetChanged},
		"the call's end":   {func(w *world, s, id approval.ID) { w.do(decide.Cancel{Intent: w.intent(), Session: s, Approval: id}) }, nil, wire.ReasonCallEnded},
		"the turn's end": {func(w *world, s, id approval.ID) {
			w.do(decide.Cancel{Intent: w.intent(), Session: s, Turn: id.String()})
		}, nil, wire.ReasonPermitTurnEnded},
		"everything's end":  {func(w *world, s, _ approval.ID) { w.do(decide.Cancel{Intent: w.intent(), Session: s, All: true}) }, nil, wire.ReasonCallEnded},
		"the session's end": {func(w *world, s, _ approval.ID) { w.do(decide.CloseSession{Intent: w.intent(), Session: s}) }, nil, wire.ReasonSessionEnded},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			id := w.open(session, file)
			w.choose(session, id, 0, wire.ChoiceAllowOnce)
			take := w.consuming(session, id)
			if c.before != nil {
				c.before(w, session, id)
			}
			if c.edit != nil {
				c.edit(&take)
			}
			r := w.do(take)
			if r.Refusal == nil || r.Refusal.Code != wire.CodeApprovalMismatch || r.Refusal.Data.Reason != c.want {
				t.Fatalf("%v %s, want the reason %s", r.Refusal, r.Ack, c.want)
			}
			if again := w.do(take); again.Refusal == nil || again.Refusal.Data.Reason != c.want {
				t.Errorf("again: %v", again.Refusal)
			}
			if !w.approval(session, id).ConsumedBy.IsZero() {
				t.Error("it was consumed")
			}
		})
	}
}

func TestADenialIsConsumedOnceAsADenial(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id := w.open(session, file)
	w.choose(session, id, 0, wire.ChoiceAbort)
	r := w.do(w.consuming(session, id, func(c *decide.Consume) { c.Changed = "the file was edited" }))
	got := decoded[wire.ApprovalConsumeResult](t, r.Ack)
	if !got.Consumed || got.Permit != nil || got.Denial == nil || got.PolicyResult != wire.PolicyDeny {
		t.Errorf("ack %s", r.Ack)
	}
}

func TestWhatIsPendingCannotBeConsumedAndMayBeLater(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id := w.open(session, file)
	early := w.consuming(session, id)
	if r := w.do(early); r.Refusal == nil || r.Refusal.Code != wire.CodeApprovalPending || len(r.Records) != 0 {
		t.Fatalf("%v %s, %d records", r.Refusal, r.Ack, len(r.Records))
	}
	w.choose(session, id, 0, wire.ChoiceAllowOnce)
	late := w.consuming(session, id)
	late.Intent = early.Intent // nothing was recorded of it
	if r := w.do(late); r.Refusal != nil {
		t.Error(r.Refusal)
	}
}

func TestASupersededApprovalNamesTheOneToConsume(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id := w.open(session, file)
	next := approval.Successor(session, id, w.approval(session, id).Opened)
	w.do(decide.Recover{Session: session})
	r := w.do(w.consuming(session, id))
	if r.Refusal == nil || r.Refusal.Data.Reason != wire.ReasonSuperseded || r.Refusal.Data.SuccessorApprovalID != next.String() {
		t.Errorf("%v %s", r.Refusal, r.Ack)
	}
}

func TestPermitsOutliveARestart(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id := w.open(session, file)
	w.choose(session, id, 0, wire.ChoiceAllowOnce)
	w.open(session, network)
	w.do(decide.Recover{Session: session})
	if r := w.do(w.consuming(session, id)); r.Refusal != nil {
		t.Error(r.Refusal)
	}
}
