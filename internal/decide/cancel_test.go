package decide_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

// cancelled is a session with nested calls, a ring of calls and turns, in
// which one approval is settled.
func cancelled(t *testing.T) (w *world, session approval.ID, names map[string]approval.ID) {
	t.Helper()
	w = newWorld(t)
	session = w.start("")
	names = map[string]approval.ID{}
	for _, c := range []struct{ call, parent, turn string }{
		{"a", "", "t1"}, {"b", "a", ""}, {"c", "b", ""}, {"d", "", "t1"}, {"e", "", "t2"},
		{"x", "y", ""}, {"y", "x", ""}, {"done", "a", "t1"},
	} {
		names[c.call] = w.open(session, file, func(o *decide.Open) {
			o.Action.ToolCallID, o.Action.ParentToolCallID, o.Action.TurnID = c.call, c.parent, c.turn
		})
	}
	w.choose(session, names["done"], 0, wire.ChoiceAllowOnce)
	return w, session, names
}

func TestCancelWithdrawsWhatItsSelectorCovers(t *testing.T) {
	for _, c := range []struct {
		name string
		by   func(names map[string]approval.ID) decide.Cancel
		want []string
	}{
		{"an approval, not what is nested in its call", func(n map[string]approval.ID) decide.Cancel { return decide.Cancel{Approval: n["a"]} }, []string{"a"}},
		{"an approval that is settled", func(n map[string]approval.ID) decide.Cancel { return decide.Cancel{Approval: n["done"]} }, nil},
		{"a call with nested calls", func(map[string]approval.ID) decide.Cancel { return decide.Cancel{ToolCall: "a"} }, []string{"a", "b", "c"}},
		{"a nested call", func(map[string]approval.ID) decide.Cancel { return decide.Cancel{ToolCall: "b"} }, []string{"b", "c"}},
		{"a ring of calls", func(map[string]approval.ID) decide.Cancel { return decide.Cancel{ToolCall: "y"} }, []string{"x", "y"}},
		{"a call that is settled", func(map[string]approval.ID) decide.Cancel { return decide.Cancel{ToolCall: "done"} }, nil},
		{"a call that nobody made", func(map[string]approval.ID) decide.Cancel { return decide.Cancel{ToolCall: "nobody"} }, nil},
		{"a turn with nested calls", func(map[string]approval.ID) decide.Cancel { return decide.Cancel{Turn: "t1"} }, []string{"a", "b", "c", "d"}},
		{"a turn that nobody made", func(map[string]approval.ID) decide.Cancel { return decide.Cancel{Turn: "t3"} }, nil},
		{"the turn of an approval without one", func(n map[string]approval.ID) decide.Cancel { return decide.Cancel{Turn: n["b"].String()} }, []string{"b", "c"}},
		{"everything", func(map[string]approval.ID) decide.Cancel { return decide.Cancel{All: true} }, []string{"a", "b", "c", "d", "e", "x", "y"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, session, names := cancelled(t)
			cancel := c.by(names)
			cancel.Intent, cancel.Session = w.intent(), session
			r := w.do(cancel)
			ack := `{"commandId":"` + cancel.Command.String() + `","status":"accepted","cancelled":[`
			for i, call := range c.want {
				if i > 0 {
					ack += ","
				}
				ack += `"` + names[call].String() + `"`
			}
			isAcked(t, r, ack+"]}")
			for call, id := range names {
				switch {
				case slices.Contains(c.want, call):
					w.endedAs(session, id, approval.ByAgentCancel)
				case call == "done":
					w.endedAs(session, id, approval.ByReviewerOnce)
				default:
					w.isPending(session, id, 0)
				}
			}
			var events []string
			for range c.want {
				events = append(events, "resolved abort by policy (agent)")
			}
			if diff := cmp.Diff(events, w.tell(r)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			again := w.do(cancel)
			isAcked(t, again, string(r.Ack)) // what was admitted, whatever is pending by now
			if len(again.Records) != 0 {
				t.Errorf("it left %d more records", len(again.Records))
			}
		})
	}
}

func TestCancelSaysWhyToTheAgent(t *testing.T) {
	for given, want := range map[string]string{
		"":              "The agent withdrew it.",
		"plans changed": "The agent withdrew it: plans changed",
	} {
		w := newWorld(t)
		session := w.start("")
		id := w.open(session, file)
		w.do(decide.Cancel{Intent: w.intent(), Session: session, All: true, Reason: given})
		if got := w.approval(session, id).Settled.Reason; got != want {
			t.Errorf("reason %q, want %q", got, want)
		}
	}
}

func TestCancelKeepsTheStagesThatWereDecided(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id := w.open(session, shell("a; b"))
	w.choose(session, id, 0, wire.ChoiceAllowOnce)
	w.do(decide.Cancel{Intent: w.intent(), Session: session, Approval: id})
	w.endedAs(session, id, approval.ByAgentCancel)
	if diff := cmp.Diff([]string{"allowOnce", "unresolved"}, kinds(w.approval(session, id).Settled.Stages)); diff != "" {
		t.Errorf("stages (-want +got):\n%s", diff)
	}
}

func TestCancelIsRefused(t *testing.T) {
	for _, c := range []struct {
		name    string
		prepare func(w *world, c *decide.Cancel)
		want    string
	}{
		{
			"in a session that never was",
			func(_ *world, c *decide.Cancel) { c.Session = seedSession },
			`{"code":-32020,"message":"There is no session 0198f0aa-1111-7000-8000-0000000000aa.","data":{"kind":"sessionNotFound","retryable":false,` +
				`"sessionId":"0198f0aa-1111-7000-8000-0000000000aa"}}`,
		},
		{
			"in a closed session",
			func(w *world, c *decide.Cancel) {
				w.do(decide.CloseSession{Intent: w.intent(), Session: c.Session})
			},
			`{"code":-32030,"message":"Session 0198f0ac-0000-7000-8000-000000000001 is closed; start another.","data":{"kind":"commandRejected",` +
				`"retryable":false,"reason":"session_closed","commandId":"018f6a2a-0000-7000-8000-000000000002","sessionId":"0198f0ac-0000-7000-8000-000000000001"}}`,
		},
		{
			"for an approval that was never issued",
			func(*world, *decide.Cancel) {},
			`{"code":-32050,"message":"No approval 0198f0aa-1111-7000-8000-0000000000aa was ever opened in this session.",` +
				`"data":{"kind":"approvalNotFound","retryable":false,"approvalId":"0198f0aa-1111-7000-8000-0000000000aa"}}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			cancel := decide.Cancel{Session: w.start(""), Approval: seedSession}
			cancel.Intent = w.intent()
			c.prepare(w, &cancel)
			isRefused(t, w.do(cancel), false, c.want)
		})
	}
}
