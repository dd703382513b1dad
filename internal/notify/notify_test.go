package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// recorder is a medium that writes down what it is told, and can be held.
type recorder struct {
	held chan struct{} // nil: it tells at once
	told []Notice
	fail error
}

func (r *recorder) Name() string { return "recorder" }

func (r *recorder) Tell(ctx context.Context, n Notice) error {
	if r.held != nil {
		select {
		case <-r.held:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	r.told = append(r.told, n)
	return r.fail
}

func event(t *testing.T, method string, params any) client.Event {
	t.Helper()
	body, err := wire.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	return client.Event{Method: method, Params: body}
}

func request(id string, menu ...wire.Choice) *wire.ApprovalRequest {
	return &wire.ApprovalRequest{
		SessionID: "s", ApprovalID: id, ToolName: "bash\x1b[2J", AvailableChoices: menu,
		Subject: json.RawMessage(`{"kind":"shell","command":"rm -rf \u202ebuild","cwd":"/srv","shell":"bash","stages":[]}`),
	}
}

var allowOnce = wire.Choice{ChoiceID: wire.ChoiceAllowOnce, Label: "Allow once", Decision: wire.DecisionApproved, Scope: wire.ScopeOnce}

// running is a Notifier that is running in the bubble of the test.
func running(t *testing.T, media ...Medium) (n *Notifier, stop func()) {
	t.Helper()
	n = New(Config{Media: media, Link: func(session, id string) string { return "http://inbox/" + session + "/" + id }})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); n.Run(ctx) }()
	return n, func() { cancel(); <-done }
}

func TestOnlyWhatIsLeftForAPersonIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := new(recorder)
		n, stop := running(t, r)
		n.Event(event(t, wire.MethodApprovalRequested, request("by policy")))
		n.Event(event(t, wire.MethodApprovalResolved, &wire.ApprovalResolved{SessionID: "s", ApprovalID: "by policy", Outcome: wire.OutcomeAllowedOnce}))
		n.Event(event(t, wire.MethodApprovalRequested, request("waits", allowOnce)))
		n.Event(event(t, wire.MethodApprovalRequested, request("waits", allowOnce))) // its next stage
		n.Event(event(t, wire.MethodUserInputRequested, &wire.UserInputRequest{
			SessionID: "s", UserInputID: "asks", ToolName: "ask", Questions: []wire.Question{{ID: "q", Question: "Which\nport?"}},
		}))
		n.Event(client.Event{Method: "approval/unheardOf", Params: []byte(`{}`)})
		n.Event(client.Event{Method: wire.MethodApprovalRequested, Params: []byte(`7`)})
		synctest.Wait()
		n.Event(event(t, wire.MethodApprovalResolved, &wire.ApprovalResolved{SessionID: "s", ApprovalID: "waits", Outcome: wire.OutcomeRejected}))
		n.Event(event(t, wire.MethodUserInputSettled, &wire.UserInputSettledEvent{SessionID: "s", UserInputID: "asks", Outcome: wire.UserInputAnswered}))
		synctest.Wait()
		stop()
		want := []Notice{
			{
				Event: Requested, Kind: Approval, SessionID: "s", ID: "waits", ToolName: "bash<U+001B>[2J",
				Title: "Run a command", Text: "rm -rf <U+202E>build", Link: "http://inbox/s/waits",
			},
			{
				Event: Requested, Kind: UserInput, SessionID: "s", ID: "asks", ToolName: "ask",
				Title: "Answer a question", Text: "Which<U+000A>port?", Link: "http://inbox/s/asks",
			},
			{Event: Settled, Kind: Approval, SessionID: "s", ID: "waits", Outcome: "rejected"},
			{Event: Settled, Kind: UserInput, SessionID: "s", ID: "asks", Outcome: "answered"},
		}
		if diff := cmp.Diff(want, r.told); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
	})
}

// A medium that does not come back holds up no other, and nobody who hands notices
// over; what was settled meanwhile is not told any more.
func TestASlowMediumHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow, quick := &recorder{held: make(chan struct{})}, &recorder{fail: errors.New("the printer is on fire")}
		n, stop := running(t, slow, quick)
		const many = 3 * maxQueue
		for i := range many {
			n.Event(event(t, wire.MethodApprovalRequested, request(fmt.Sprint(i), allowOnce)))
			synctest.Wait() // quick has told it
		}
		if len(quick.told) != many {
			t.Errorf("who is quick told %d of %d", len(quick.told), many)
		}
		for i := range many - 1 { // all but the last, and the first is being told
			n.Event(event(t, wire.MethodApprovalResolved, &wire.ApprovalResolved{SessionID: "s", ApprovalID: fmt.Sprint(i)}))
		}
		close(slow.held)
		synctest.Wait()
		var said []string
		for _, n := range slow.told {
			said = append(said, string(n.Event)+" "+n.ID)
		}
		stop()
		first, last := said[0], said[1:]
		if first != "requested 0" || !strings.Contains(strings.Join(last, ", "), fmt.Sprintf("requested %d", many-1)) {
			t.Errorf("told %q", said)
		}
		for _, s := range last {
			if strings.HasPrefix(s, "requested") && s != fmt.Sprintf("requested %d", many-1) {
				t.Errorf("%s, which was settled before", s)
			}
		}
	})
}

func TestAFullQueueLosesTheOldestAndSaysSo(t *testing.T) {
	q := newQueue()
	for i := range maxQueue + 3 {
		q.add(Notice{Event: Requested, ID: fmt.Sprint(i)})
	}
	n, lost, err := q.next(t.Context())
	if err != nil || n.ID != "3" || lost != 3 {
		t.Errorf("next = %+v, %d lost, %v", n, lost, err)
	}
	if _, lost, _ := q.next(t.Context()); lost != 0 {
		t.Errorf("%d lost are told again", lost)
	}
}
