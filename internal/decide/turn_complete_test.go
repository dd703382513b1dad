package decide_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// completing is the command that ends a turn.
func (w *world) completing(session approval.ID, turn string) decide.CompleteTurn {
	return decide.CompleteTurn{Intent: w.intent(), Session: session, Turn: turn, Terminal: wire.TurnWasCompleted}
}

// What is pending in the turn, and in calls nested in its own, is settled before
// the turn is over, and nothing else is (the session is that of the cancel tests).
func TestATurnThatEndsSettlesWhatIsPendingInItFirst(t *testing.T) {
	w, session, names := cancelled(t)
	end := w.completing(session, "t1")
	end.Terminal, end.Reason = wire.TurnHasFailed, "the model gave up"
	r := w.do(end)
	isAcked(t, r, `{"commandId":"`+end.Command.String()+`","status":"accepted"}`)
	const ended = "resolved abort by policy (turn)"
	if diff := cmp.Diff([]string{ended, ended, ended, ended, "turn/completed"}, w.tell(r)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	for call, want := range map[string]string{
		"a": "cancelled by turn", "b": "cancelled by turn", "c": "cancelled by turn", "d": "cancelled by turn",
		"e": "pending", "x": "pending", "y": "pending", "done": "turnEnded",
	} {
		if got := w.stateOf(session, names[call]); got != want {
			t.Errorf("%s: %s, want %s", call, got, want)
		}
	}
	if got := w.approval(session, names["a"]).Settled.Reason; got != "The turn that it belonged to has ended: the model gave up" {
		t.Errorf("reason %q", got)
	}
	if r := w.do(w.consuming(session, names["done"])); r.Refusal == nil || r.Refusal.Data.Reason != wire.ReasonPermitTurnEnded {
		t.Errorf("its permit: %v", r.Refusal)
	}
	if body, ok := r.Records[len(r.Records)-1].Body.(*record.TurnEnded); !ok || body.Terminal != "failed" || body.Reason != "the model gave up" {
		t.Errorf("the last record is %+v", r.Records[len(r.Records)-1].Body)
	}
	again := w.do(end)
	isAcked(t, again, string(r.Ack))
	if len(again.Records) != 0 {
		t.Errorf("it left %d more records", len(again.Records))
	}
}

// The agent's word is about its own session's turn: one of that name in a child is
// another.
func TestATurnEndsInItsOwnSession(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	below := w.start("", func(s *decide.StartSession) { s.Parent = session })
	inTurn := func(o *decide.Open) { o.Action.TurnID = "t" }
	own, childs := w.open(session, file, inTurn), w.open(below, file, inTurn)
	w.do(w.completing(session, "t"))
	w.endedAs(session, own, approval.ByTurnEnd)
	w.isPending(below, childs, 0)
	w.open(below, file, inTurn)
}

// A turn that an approval was given, for want of one that the agent named, is one.
func TestTheTurnOfAnApprovalWithoutOneCanEnd(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id := w.open(session, file, func(o *decide.Open) { o.Action.ToolCallID = "outer" })
	nested := w.open(session, file, func(o *decide.Open) { o.Action.ParentToolCallID = "outer" })
	w.do(w.completing(session, id.String()))
	w.endedAs(session, id, approval.ByTurnEnd)
	w.endedAs(session, nested, approval.ByTurnEnd)
}

// A denial permits nothing and can be taken when the turn is over.
func TestADenialOutlivesItsTurn(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id := w.open(session, file, func(o *decide.Open) { o.Action.TurnID = "t" })
	w.choose(session, id, 0, wire.ChoiceAbort)
	w.do(w.completing(session, "t"))
	if r := w.do(w.consuming(session, id)); r.Refusal != nil {
		t.Errorf("refused: %v", r.Refusal)
	}
}

// Nothing is opened in a turn that is over, by its own word or inside one of its
// calls: nobody would end it.
func TestATurnThatIsOverTakesNothingMore(t *testing.T) {
	for name, c := range map[string]struct {
		turn, parent string
		refused      bool
	}{
		"in the turn":                           {"t", "", true},
		"nested in a call of it":                {"", "outer", true},
		"nested in a call of it, of another":    {"other", "outer", true},
		"nested deeper":                         {"", "inner", true},
		"in another turn":                       {"other", "", false},
		"in none":                               {"", "", false},
		"nested in a call that nobody has made": {"", "nobody", false},
	} {
		t.Run(name, func(t *testing.T) {
			opensInAnEndedTurn(t, c.refused, func(w *world, session approval.ID) (decide.Command, decide.Intent) {
				late := w.opening(session, file, func(o *decide.Open) { o.Action.TurnID, o.Action.ParentToolCallID = c.turn, c.parent })
				return late, late.Intent
			})
		})
	}
}

// callsOf opens the call outer of a turn, and the call inner nested in it.
func (w *world) callsOf(session approval.ID, turn string) {
	w.open(session, file, func(o *decide.Open) { o.Action.ToolCallID, o.Action.TurnID = "outer", turn })
	w.open(session, file, func(o *decide.Open) { o.Action.ToolCallID, o.Action.ParentToolCallID = "inner", "outer" })
}

// opensInAnEndedTurn checks whether something is refused that late opens in a session
// whose turn t is over, with the calls outer and inner.
func opensInAnEndedTurn(t *testing.T, refused bool, late func(w *world, session approval.ID) (decide.Command, decide.Intent)) {
	t.Helper()
	w := newWorld(t)
	session := w.start("")
	w.callsOf(session, "t")
	w.do(w.completing(session, "t"))
	w.do(decide.Recover{Session: session}) // which changes nothing about it
	command, intent := late(w, session)
	minted := w.minted
	r := w.do(command)
	if !refused {
		if r.Refusal != nil {
			t.Errorf("refused: %v", r.Refusal)
		}
		return
	}
	isRefused(t, r, true, `{"code":-32030,"message":"The turn \"t\" has ended; name another.","data":{"kind":"commandRejected",`+
		`"retryable":false,"reason":"turn_ended","commandId":"`+intent.Command.String()+`"}}`)
	if w.minted != minted {
		t.Error("an id was minted for it")
	}
}

func TestEndingATurnIsRefused(t *testing.T) {
	rejected := func(message, reason string, c decide.CompleteTurn) string {
		return `{"code":-32030,"message":"` + message + `","data":{"kind":"commandRejected","retryable":false,"reason":"` + reason +
			`","commandId":"` + c.Command.String() + `"}}`
	}
	w := newWorld(t)
	session := w.start("")
	w.open(session, file, func(o *decide.Open) { o.Action.TurnID = "t" })
	nowhere := w.completing(seedSession, "t")
	isRefused(t, w.do(nowhere), false, `{"code":-32020,"message":"There is no session 0198f0aa-1111-7000-8000-0000000000aa.",`+
		`"data":{"kind":"sessionNotFound","retryable":false,"sessionId":"0198f0aa-1111-7000-8000-0000000000aa"}}`)
	unknown := w.completing(session, "u")
	want := rejected(`Nothing in this session named the turn \"u\".`, "invalid_target", unknown)
	isRefused(t, w.do(unknown), true, want)
	w.open(session, file, func(o *decide.Open) { o.Action.TurnID = "u" })
	isRefused(t, w.do(unknown), false, want) // replayed, though it is known by now
	w.do(w.completing(session, "t"))
	twice := w.completing(session, "t")
	isRefused(t, w.do(twice), true, rejected(`The turn \"t\" has ended; name another.`, "turn_ended", twice))
	w.do(decide.CloseSession{Intent: w.intent(), Session: session})
	late := w.completing(session, "u")
	isRefused(t, w.do(late), false, `{"code":-32030,"message":"Session `+session.String()+` is closed; start another.","data":{"kind":"commandRejected",`+
		`"retryable":false,"reason":"session_closed","commandId":"`+late.Command.String()+`","sessionId":"`+session.String()+`"}}`)
}

// Nested calls, with ids that are their parent's and a number, end with it at any
// depth, whatever ends it.
func TestTheEndOfACallEndsWhatIsNestedInIt(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(w *world, session approval.ID) decide.Command
		want string
	}{
		"withdrawn": {func(w *world, s approval.ID) decide.Command {
			return decide.Cancel{Intent: w.intent(), Session: s, ToolCall: "outer"}
		}, "cancelled by agent"},
		"its turn ends": {func(w *world, s approval.ID) decide.Command { return w.completing(s, "t") }, "cancelled by turn"},
		"its turn's call": {func(w *world, s approval.ID) decide.Command {
			return decide.Cancel{Intent: w.intent(), Session: s, Turn: "t"}
		}, "cancelled by agent"},
		"its session ends": {func(w *world, s approval.ID) decide.Command {
			return decide.CloseSession{Intent: w.intent(), Session: s}
		}, "cancelled by session"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			nest := func(parent string) (id approval.ID, call string) {
				r := w.do(w.opening(session, file, func(o *decide.Open) { o.Action.ToolCallID, o.Action.ParentToolCallID = "", parent }))
				return r.Records[0].Approval, decoded[wire.ApprovalOpenResult](t, r.Ack).ToolCallID
			}
			outer := w.open(session, file, func(o *decide.Open) { o.Action.ToolCallID, o.Action.TurnID = "outer", "t" })
			one, first := nest("outer")
			two, second := nest("outer")
			deep, below := nest(first)
			if first != "outer/1" || second != "outer/2" || below != "outer/1/1" {
				t.Errorf("calls %s, %s, %s", first, second, below)
			}
			w.do(c.end(w, session))
			for _, id := range []approval.ID{outer, one, two, deep} {
				if got := w.stateOf(session, id); got != c.want {
					t.Errorf("%s: %s, want %s", id, got, c.want)
				}
			}
		})
	}
}

// A name that is derived is nobody else's, whatever calls an agent names itself.
func TestADerivedCallIDIsUnique(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	for _, call := range []string{"p", "p/1", "p/3"} {
		w.open(session, file, func(o *decide.Open) { o.Action.ToolCallID = call })
	}
	var got []string
	for range 3 {
		r := w.do(w.opening(session, file, func(o *decide.Open) { o.Action.ToolCallID, o.Action.ParentToolCallID = "", "p" }))
		got = append(got, decoded[wire.ApprovalOpenResult](t, r.Ack).ToolCallID)
	}
	if diff := cmp.Diff([]string{"p/2", "p/4", "p/5"}, got); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	long := w.opening(session, file, func(o *decide.Open) { o.Action.ToolCallID, o.Action.ParentToolCallID = "", strings.Repeat("é", 127) })
	isRefused(t, w.do(long), false, `{"code":-32602,"message":"toolCallId must be given: one that is made of parentToolCallId would be longer than 128 characters.",`+
		`"data":{"kind":"invalidParams","retryable":false}}`)
	w.open(session, file, func(o *decide.Open) { o.Action.ToolCallID, o.Action.ParentToolCallID = "", strings.Repeat("é", 126) })
}

// Names that are taken are not tried without end: the writer has others to serve.
func TestADerivedCallIDIsNotSoughtForEver(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	for n := range 1001 {
		w.open(session, file, func(o *decide.Open) { o.Action.ToolCallID = fmt.Sprintf("p/%d", n+1) })
	}
	nested := w.opening(session, file, func(o *decide.Open) { o.Action.ToolCallID, o.Action.ParentToolCallID = "", "p" })
	isRefused(t, w.do(nested), false, `{"code":-32602,"message":"toolCallId must be given: those that are made of parentToolCallId are taken.",`+
		`"data":{"kind":"invalidParams","retryable":false}}`)
}

// There may be 64 calls around one, and no more: whoever opens something in a call
// has those around it looked at. The end of the outermost reaches the innermost.
func TestCallsNestSoDeepAndNoDeeper(t *testing.T) {
	const deepest = 64
	w := newWorld(t)
	session := w.start("")
	name := func(depth int) string { return fmt.Sprintf("call_%d", depth) }
	nested := func(depth int) decide.Open {
		return w.opening(session, file, func(o *decide.Open) {
			o.Action.ToolCallID, o.Action.RunID = name(depth), run
			if depth > 0 {
				o.Action.ParentToolCallID = name(depth - 1)
			}
		})
	}
	for depth := range deepest + 1 {
		if r := w.do(nested(depth)); r.Refusal != nil {
			t.Fatalf("%d deep: %v", depth, r.Refusal)
		}
	}
	prompt := w.ask(session, inTurn(name(deepest), "t"))
	deeper := nested(deepest + 1)
	refused := func(where, member string) string {
		return `{"code":-32602,"message":"` + where + member + `: calls nest at most 64 deep.","data":{"kind":"invalidParams","retryable":false}}`
	}
	isRefused(t, w.do(deeper), false, refused("", "parentToolCallId"))
	batch := decide.Prepare{Intent: w.intent(), Session: session, Run: run, Requests: []decide.Open{deeper}}
	isRefused(t, w.do(batch), false, refused("requests[0]: ", "parentToolCallId"))
	w.open(session, file, func(o *decide.Open) { // a call that is put deeper by itself
		o.Action.ToolCallID, o.Action.ParentToolCallID = name(0), "around"
	})
	isRefused(t, w.do(w.asking(session, inTurn(name(deepest), "t"))), false, refused("", "toolCallId"))
	w.do(decide.Cancel{Intent: w.intent(), Session: session, ToolCall: name(1)})
	w.promptEnded(session, prompt, wire.UserInputCancelled, wire.SourceAgent)
	if n := w.session(session).Pending; n != 2 {
		t.Errorf("%d approvals wait, want the two of the outermost call", n)
	}
}
