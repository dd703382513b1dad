package decide_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// agent is one that is attached, and hostedAgent a program of --agent-cmd.
var (
	agent       = record.Party{Client: "agent", Version: "2.0", Role: "agent", Transport: "agent"}
	hostedAgent = record.Party{Client: "agent", Role: "agent", Transport: record.AgentCommand, PID: 7}
)

// starting is the command that opens a turn.
func (w *world) starting(session approval.ID) decide.StartTurn {
	return decide.StartTurn{Intent: w.intent(), Session: session, Input: []json.RawMessage{json.RawMessage(`{"text":"a && b"}`), json.RawMessage(`{"n":1.50}`)}}
}

// begin opens a turn, for whoever is attached, and gives its id.
func (w *world) begin(session approval.ID) approval.ID {
	w.t.Helper()
	r := w.do(w.starting(session))
	if r.Refusal != nil {
		w.t.Fatalf("turn/start: %v", r.Refusal)
	}
	return r.Records[0].Approval
}

func TestATurnIsForTheAgentThatIsAttached(t *testing.T) {
	for name, c := range map[string]struct {
		agent  *record.Party
		hosts  bool
		hosted bool
	}{
		"an agent":                        {&agent, false, false},
		"an agent, and a program":         {&agent, true, false},
		"a program that runs":             {&hostedAgent, true, true},
		"a program that is to be started": {nil, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			w.agent, w.hosts = c.agent, c.hosts
			start := w.starting(session)
			r := w.do(start)
			turn := r.Records[0].Approval
			isAcked(t, r, `{"commandId":"`+start.Command.String()+`","status":"accepted","turnId":"`+turn.String()+`","startedNewTurn":true,"disposition":"started"}`)
			body, ok := r.Records[0].Body.(*record.TurnStarted)
			if !ok || len(r.Records) != 1 || string(body.Input) != `[{"text":"a && b"},{"n":1.50}]` || body.Agent != c.agent || body.Hosted != c.hosted || body.By.Client != "tester" {
				t.Errorf("it left %+v", r.Records)
			}
			if diff := cmp.Diff([]string{"turn/started"}, w.tell(r)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			again := w.do(start)
			isAcked(t, again, string(r.Ack))
			if len(again.Records) != 0 {
				t.Errorf("a repetition left %d records", len(again.Records))
			}
			o := w.session(session).Object(w.env().Profile)
			if o.Status != wire.SessionRunning || o.ActiveTurnID == nil || *o.ActiveTurnID != turn.String() || o.TurnCount != 1 {
				t.Errorf("the session is %+v", o)
			}
		})
	}
}

func TestATurnIsRefused(t *testing.T) {
	rejected := func(reason wire.Reason, message string) func(decide.StartTurn) string {
		return func(c decide.StartTurn) string {
			return `{"code":-32030,"message":"` + message + `","data":{"kind":"commandRejected","retryable":false,"reason":"` + string(reason) +
				`","commandId":"` + c.Command.String() + `"}}`
		}
	}
	const missing = "No agent is attached to this session: nobody who owns it and said turns is connected. " +
		"Connect one, and send the turn again under another commandId."
	for name, c := range map[string]struct {
		before func(w *world, session approval.ID)
		want   func(decide.StartTurn) string
	}{
		"nobody is attached": {func(w *world, _ approval.ID) { w.agent = nil }, rejected("missing_run", missing)},
		"a turn is open": {func(w *world, s approval.ID) { w.begin(s) },
			rejected("run_active", "A turn of this session is open; wait for turn/completed, or interrupt it.")},
		"a turn is open, and its agent is gone": {func(w *world, s approval.ID) { w.begin(s); w.agent = nil },
			rejected("run_active", "A turn of this session is open; wait for turn/completed, or interrupt it.")},
		"an approval is pending": {func(w *world, s approval.ID) { w.open(s, file) },
			rejected("run_active", "Approvals of this session are pending outside a turn; have them decided or withdrawn first.")},
		"a prompt is pending": {func(w *world, s approval.ID) { w.ask(s) },
			rejected("run_active", "Prompts of this session are pending outside a turn; have them answered or withdrawn first.")},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			w.agent = &agent
			c.before(w, session)
			start := w.starting(session)
			isRefused(t, w.do(start), true, c.want(start))
		})
	}
}

// What a child session does is its own: its turn does not keep its parent from one, nor
// does what it has pending.
func TestATurnIsOfItsSessionAlone(t *testing.T) {
	w := newWorld(t)
	w.agent = &agent
	session := w.start("")
	below := w.start("", func(s *decide.StartSession) { s.Parent = session })
	childs := w.begin(below)
	waits := w.open(below, file)
	own := w.begin(session)
	w.do(decide.InterruptTurn{Intent: w.intent(), Session: session, Turn: own.String()})
	w.isPending(below, waits, 0)
	if s := w.session(session); s.Running() || s.RunningBelow != 1 || !s.Waits() {
		t.Errorf("running %v, %d below, waits %v", s.Running(), s.RunningBelow, s.Waits())
	}
	if open, ok := w.session(below).OpenTurn(); !ok || open.ID != childs {
		t.Errorf("the child's turn is %+v", open)
	}
}

// What an agent opens without naming a turn belongs to the open one.
func TestTheOpenTurnIsTheDefault(t *testing.T) {
	w := newWorld(t)
	w.agent = &agent
	session := w.start("")
	before := w.open(session, file)
	w.choose(session, before, 0, wire.ChoiceAbort)
	turn := w.begin(session)
	single, named := w.open(session, file), w.open(session, file, func(o *decide.Open) { o.Action.TurnID = "other" })
	prompt := w.ask(session)
	batch := w.do(decide.Prepare{Intent: w.intent(), Session: session, Run: "r", Requests: []decide.Open{w.opening(session, file, func(o *decide.Open) { o.Action.RunID = "r" })}})
	if batch.Refusal != nil {
		t.Fatal(batch.Refusal)
	}
	prepared := batch.Records[0].Approval
	for id, want := range map[approval.ID]string{single: turn.String(), named: "other", prepared: turn.String()} {
		if got := w.approval(session, id).Claim.Turn; got != want {
			t.Errorf("%s is of the turn %s, want %s", id, got, want)
		}
	}
	if p, _ := w.session(session).Prompt(prompt); p.Request.TurnID != turn.String() {
		t.Errorf("the prompt is of the turn %s", p.Request.TurnID)
	}
	if claim := w.approval(session, before).Claim; claim.Turn != before.String() {
		t.Errorf("what was opened before is of the turn %s", claim.Turn)
	}
	w.do(w.completing(session, turn.String()))
	w.endedAs(session, single, approval.ByTurnEnd)
	w.endedAs(session, prepared, approval.ByTurnEnd)
	w.isPending(session, named, 0)
}
