package decide_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

func TestInterruptingStopsTheTurn(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	in := func(call, parent, turn string) func(*decide.Open) {
		return func(o *decide.Open) {
			o.Action.ToolCallID, o.Action.ParentToolCallID, o.Action.TurnID = call, parent, turn
		}
	}
	permit := w.open(session, file, in("a", "", "t1"))
	w.choose(session, permit, 0, wire.ChoiceAllowOnce)
	nested, other := w.open(session, file, in("b", "a", "")), w.open(session, file, in("c", "", "t2"))
	id, also, elsewhere := w.ask(session, inTurn("p", "t1")), w.ask(session, inTurn("q", "t1")), w.ask(session, inTurn("r", "t2"))
	r := w.do(decide.InterruptInput{Intent: w.intent(), Session: session, Input: id, Answers: []wire.Answer{{QuestionID: "port", FreeText: new("80")}}})
	if r.Refusal != nil {
		t.Fatal(r.Refusal)
	}
	want := []string{wire.MethodUserInputSettled, "resolved abort by policy (turn)", wire.MethodUserInputSettled, "turn/completed"}
	if diff := cmp.Diff(want, w.tell(r)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	w.promptEnded(session, id, wire.UserInputInterrupted, wire.SourceReviewer)
	w.promptEnded(session, also, wire.UserInputCancelled, wire.SourceTurn)
	w.promptEnded(session, elsewhere, "", "")
	w.endedAs(session, nested, approval.ByTurnEnd)
	w.isPending(session, other, 0)
	if a := w.approval(session, permit); a.Voided != string(wire.ReasonPermitTurnEnded) {
		t.Errorf("the permit is void for %q", a.Voided)
	}
	entries := 0
	for _, rec := range r.Records {
		if rec.Intake() != nil {
			entries++
		}
	}
	if entries != 1 {
		t.Errorf("%d entries in the ledger", entries)
	}
	if body, ok := r.Records[len(r.Records)-1].Body.(*record.TurnEnded); !ok || body.TurnID != "t1" || body.Terminal != "cancelled" || body.By.Client == "" {
		t.Errorf("the last record is %+v", r.Records[len(r.Records)-1].Body)
	}
	for name, late := range map[string]decide.Command{
		"a prompt":    w.asking(session, inTurn("s", "t1")),
		"an approval": w.opening(session, file, in("d", "", "t1")),
		"its end":     w.completing(session, "t1"),
	} {
		if r := w.do(late); r.Refusal == nil || r.Refusal.Data.Reason != wire.ReasonTurnEnded {
			t.Errorf("%s of the turn: %v", name, r.Refusal)
		}
	}
}

// turn/complete ends the prompts of the turn, and of the calls nested in its own,
// before the turn is over; that a prompt named the turn is enough.
func TestATurnThatEndsSettlesItsPromptsFirst(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id, elsewhere := w.ask(session, inTurn("p", "t1")), w.ask(session, inTurn("r", "t2"))
	unnamed := w.ask(session)
	end := w.completing(session, "t1")
	end.Reason = "the model gave up"
	r := w.do(end)
	if diff := cmp.Diff([]string{wire.MethodUserInputSettled, "turn/completed"}, w.tell(r)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	w.promptEnded(session, id, wire.UserInputCancelled, wire.SourceTurn)
	p, _ := w.session(session).Prompt(id)
	if why := p.Settled.Reason; why != "The turn that it belonged to has ended: the model gave up" {
		t.Errorf("reason %q", why)
	}
	w.promptEnded(session, elsewhere, "", "")
	w.do(w.completing(session, unnamed.String()))
	w.promptEnded(session, unnamed, wire.UserInputCancelled, wire.SourceTurn)

	w.callsOf(session, "t3")
	nested := w.ask(session, inTurn("inner", "t2"))
	w.do(w.completing(session, "t3"))
	w.promptEnded(session, nested, wire.UserInputCancelled, wire.SourceTurn)
	w.promptEnded(session, elsewhere, "", "")
}

// As approval/open, userInput/open is refused in a turn that is over, by its own
// word or inside one of the turn's calls.
func TestATurnThatIsOverTakesNoPrompt(t *testing.T) {
	for name, c := range map[string]struct {
		call, turn string
		refused    bool
	}{
		"in the turn":                 {"new", "t", true},
		"in a call of it":             {"outer", "", true},
		"in a call of it, of another": {"outer", "other", true},
		"in a call nested in it":      {"inner", "", true},
		"in another turn":             {"new", "other", false},
		"in none":                     {"new", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			opensInAnEndedTurn(t, c.refused, func(w *world, session approval.ID) (decide.Command, decide.Intent) {
				late := w.asking(session, inTurn(c.call, c.turn))
				return late, late.Intent
			})
		})
	}
}
