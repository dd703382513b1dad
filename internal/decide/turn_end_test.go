package decide_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// inFlight is a session with an open turn in which there is an approval of one stage,
// one of two that is half decided, a prompt and a permit; and beside it an approval of
// another turn.
type inFlight struct {
	*world
	session, turn             approval.ID
	one, half, permit, beside approval.ID
	prompt                    approval.ID
}

func newInFlight(t *testing.T, attached *record.Party) *inFlight {
	w := newWorld(t)
	w.agent = attached
	f := &inFlight{world: w, session: w.start("", func(s *decide.StartSession) { s.CancelOnDisconnect = true })}
	f.turn = w.begin(f.session)
	mine := func(o *decide.Open) { o.By = *attached }
	f.permit, f.one, f.half = w.open(f.session, file, mine), w.open(f.session, network, mine), w.open(f.session, shell("a; b"), mine)
	w.choose(f.session, f.permit, 0, wire.ChoiceAllowOnce)
	w.choose(f.session, f.half, 0, wire.ChoiceAllowOnce)
	f.prompt = w.ask(f.session)
	f.beside = w.open(f.session, tool, mine, func(o *decide.Open) { o.Action.TurnID = "other" })
	return f
}

const (
	byTurn    = "resolved abort by policy (turn)"
	byAgent   = "resolved abort by policy (agent)"
	bySession = "resolved abort by policy (session)"
	completed = "turn/completed"
	settledIt = wire.MethodUserInputSettled
)

// However an open turn ends, what is pending in it is settled before, and its end is
// told behind that.
func TestHoweverATurnEndsItsOwnIsSettledFirst(t *testing.T) {
	for name, c := range map[string]struct {
		agent            record.Party
		end              func(f *inFlight) decide.Command
		want             []string
		terminal, reason string
		how              approval.Resolution // of what is in the turn
		other            approval.Resolution // of what is beside; zero: it waits on
		voided           string
	}{
		"interrupted": {
			agent, func(f *inFlight) decide.Command {
				return decide.InterruptTurn{Intent: f.intent(), Session: f.session, Turn: f.turn.String()}
			}, []string{byTurn, byTurn, settledIt, completed}, "cancelled", "It was interrupted.", approval.ByTurnEnd, approval.Resolution{}, "turnEnded",
		},
		"its prompt interrupted": {
			agent, func(f *inFlight) decide.Command {
				return decide.InterruptInput{Intent: f.intent(), Session: f.session, Input: f.prompt}
			}, []string{settledIt, byTurn, byTurn, completed}, "cancelled", "It was interrupted.", approval.ByTurnEnd, approval.Resolution{}, "turnEnded",
		},
		"completed": {
			agent, func(f *inFlight) decide.Command { return f.completing(f.session, f.turn.String()) },
			[]string{byTurn, byTurn, settledIt, completed}, "completed", "", approval.ByTurnEnd, approval.Resolution{}, "turnEnded",
		},
		"its session closed": {
			agent, func(f *inFlight) decide.Command { return decide.CloseSession{Intent: f.intent(), Session: f.session} },
			[]string{bySession, bySession, bySession, settledIt, completed, "closed closed"}, "cancelled", "The session was closed.",
			approval.BySessionClose, approval.BySessionClose, "",
		},
		"its agent gone, and the session said so": {
			agent, func(f *inFlight) decide.Command { return decide.AgentGone{Session: f.session} },
			[]string{byAgent, byAgent, byAgent, settledIt, completed}, "cancelled", "The agent disconnected.", approval.ByAgentCancel, approval.ByAgentCancel, "turnEnded",
		},
		"its program ended": {
			hostedAgent, func(f *inFlight) decide.Command {
				return decide.AgentExited{Session: f.session, PID: hostedAgent.PID, Until: f.state.Head(), Reason: "It is gone."}
			}, []string{byAgent, byTurn, byTurn, settledIt, completed}, "failed", "It is gone.", approval.ByTurnEnd, approval.ByAgentCancel, "turnEnded",
		},
		"its program's daemon restarted": {
			hostedAgent, func(f *inFlight) decide.Command { return decide.Recover{Session: f.session} },
			[]string{byAgent, byTurn, byTurn, settledIt, completed}, "cancelled", "hostRestart", approval.ByTurnEnd, approval.ByAgentCancel, "turnEnded",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newInFlight(t, &c.agent)
			r := f.do(c.end(f))
			if r.Refusal != nil {
				t.Fatal(r.Refusal)
			}
			if diff := cmp.Diff(c.want, f.tell(r)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			f.endedAs(f.session, f.one, c.how)
			f.endedAs(f.session, f.half, c.how)
			if c.other == (approval.Resolution{}) {
				f.isPending(f.session, f.beside, 0)
			} else {
				f.endedAs(f.session, f.beside, c.other)
			}
			if a := f.approval(f.session, f.permit); a.Voided != c.voided {
				t.Errorf("the permit is void for %q, want %q", a.Voided, c.voided)
			}
			for _, rec := range r.Records {
				if body, ok := rec.Body.(*record.TurnEnded); ok && (body.TurnID != f.turn.String() || rec.Approval != f.turn || body.Terminal != c.terminal || body.Reason != c.reason) {
					t.Errorf("the turn ended as %+v, under %s", body, rec.Approval)
				}
			}
			if f.world.session(f.session).Running() {
				t.Error("the session is running")
			}
		})
	}
}

// A turn stays open, and what waits in it waits on, where nothing ends it.
func TestATurnOutlivesItsAgentAndTheDaemon(t *testing.T) {
	for name, end := range map[string]func(f *inFlight) decide.Command{
		"a restart": func(f *inFlight) decide.Command { return decide.Recover{Session: f.session} },
		"its agent gone, and somebody else owns the session": func(f *inFlight) decide.Command {
			f.owned = true
			return decide.AgentGone{Session: f.session}
		},
		"a program gone that never had it": func(f *inFlight) decide.Command {
			return decide.AgentExited{Session: f.session, PID: hostedAgent.PID, Until: f.state.Head(), Reason: "It is gone."}
		},
		"another turn of the session over": func(f *inFlight) decide.Command { return f.completing(f.session, "other") },
	} {
		t.Run(name, func(t *testing.T) {
			f := newInFlight(t, &agent)
			f.do(end(f))
			s := f.world.session(f.session)
			if open, ok := s.OpenTurn(); !ok || open.ID != f.turn || s.TurnCount != 1 {
				t.Errorf("open is %+v, %v", open, ok)
			}
			if len(s.PendingApprovals()) < 2 || len(s.PendingPrompts()) != 1 {
				t.Errorf("%d approvals and %d prompts wait", len(s.PendingApprovals()), len(s.PendingPrompts()))
			}
			late := f.open(f.session, file)
			if got := f.approval(f.session, late).Claim.Turn; got != f.turn.String() {
				t.Errorf("the next approval is of the turn %s", got)
			}
		})
	}
}

// The end of a program reaches what it opened, in its session and those below, and
// nothing that others did.
func TestTheEndOfAProgramReachesWhatItOpened(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	below := w.start("", func(s *decide.StartSession) { s.Parent = session })
	by := func(p record.Party) func(*decide.Open) { return func(o *decide.Open) { o.By = p } }
	other := hostedAgent
	other.PID = 8
	mine, childs := w.open(session, file, by(hostedAgent)), w.open(below, file, by(hostedAgent))
	anothers, agents := w.open(below, file, by(other)), w.open(session, file, by(agent))
	r := w.do(decide.AgentExited{Session: session, PID: hostedAgent.PID, Reason: "The agent ended with exit code 3."})
	w.endedAs(session, mine, approval.ByAgentCancel)
	w.endedAs(below, childs, approval.ByAgentCancel)
	w.isPending(below, anothers, 0)
	w.isPending(session, agents, 0)
	if got := w.approval(session, mine).Settled.Reason; got != "The agent ended with exit code 3." {
		t.Errorf("reason %q", got)
	}
	for _, rec := range r.Records {
		if rec.Intake() != nil || !rec.Command.IsZero() {
			t.Errorf("record %d is in the ledger", rec.Seq)
		}
	}
	w.hosts = true
	w.do(decide.Cancel{Intent: w.intent(), Session: session, All: true})
	w.begin(session)
	w.do(decide.AgentExited{Session: session, PID: 8, Until: w.state.Head() - 1, Reason: "It is gone."})
	if !w.session(session).Running() {
		t.Error("it took along a turn that began after it had ended")
	}
	w.do(decide.CloseSession{Intent: w.intent(), Session: session})
	if r := w.do(decide.AgentExited{Session: session, PID: 8}); len(r.Records) != 0 {
		t.Errorf("in a closed session it left %d records", len(r.Records))
	}
}

// What a program had waiting when its daemon ended has no successor: nobody would wait
// for it.
func TestARestartEndsWhatAProgramHadPending(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	mine := w.open(session, file, func(o *decide.Open) { o.By = hostedAgent })
	others := w.open(session, file)
	prompt := w.asking(session)
	prompt.By = hostedAgent
	asked := w.do(prompt).Records[0].Approval
	w.do(decide.Recover{Session: session})
	w.endedAs(session, mine, approval.ByAgentCancel)
	w.endedAs(session, others, approval.ByRestart)
	w.promptEnded(session, asked, wire.UserInputCancelled, wire.SourceAgent)
	if n := w.session(session).Pending; n != 1 {
		t.Errorf("%d are pending", n)
	}

	alone := w.start("")
	w.hosts = true
	w.begin(alone)
	if !decide.NeedsRecovery(w.session(alone)) {
		t.Error("a turn of a program that is gone needs no recovery")
	}
	r := w.do(decide.Recover{Session: alone})
	if diff := cmp.Diff([]string{"turn/completed"}, w.tell(r)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if again := w.do(decide.Recover{Session: alone}); len(again.Records) != 0 {
		t.Errorf("the second time it left %d records", len(again.Records))
	}
}

func TestInterruptingATurnIsRefused(t *testing.T) {
	w := newWorld(t)
	w.agent = &agent
	session := w.start("")
	turn := w.begin(session)
	w.open(session, file, func(o *decide.Open) { o.Action.TurnID = "named" })
	stop := func(turn string) decide.InterruptTurn {
		return decide.InterruptTurn{Intent: w.intent(), Session: session, Turn: turn}
	}
	rejected := func(c decide.InterruptTurn, message string) string {
		return `{"code":-32030,"message":"` + message + `","data":{"kind":"commandRejected","retryable":false,"reason":"invalid_target","commandId":"` + c.Command.String() + `"}}`
	}
	unknown := stop("nobody's")
	isRefused(t, w.do(unknown), true, rejected(unknown, `Nothing in this session named the turn \"nobody's\".`))
	first := stop(turn.String())
	ack := w.do(first)
	isAcked(t, ack, `{"commandId":"`+first.Command.String()+`","status":"accepted","turnId":"`+turn.String()+`"}`)
	ended := stop(turn.String())
	isRefused(t, w.do(ended), true, rejected(ended, `The turn \"`+turn.String()+`\" has ended already.`))
	isAcked(t, w.do(first), string(ack.Ack)) // repeated
	none := stop("")
	isRefused(t, w.do(none), true, rejected(none, "No turn of this session is open."))
	if r := w.do(stop("named")); r.Refusal != nil {
		t.Errorf("a turn that an agent named is not interrupted: %v", r.Refusal)
	}
	next := w.begin(session)
	open := stop("")
	isAcked(t, w.do(open), `{"commandId":"`+open.Command.String()+`","status":"accepted","turnId":"`+next.String()+`"}`)
}
