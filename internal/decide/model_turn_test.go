package decide_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// agents are who may be attached when a turn is started.
var agents = map[string]*record.Party{
	"":       nil,
	"agent":  {Client: "agent", Transport: "agent"},
	"hosted": {Client: "agent", Transport: record.AgentCommand, PID: 7},
}

func (m *model) drawTurn(t *rapid.T) op {
	return op{what: "turn", command: m.next(), session: m.drawSession(t)}
}

// drawStop interrupts a turn, mostly the open one.
func (m *model) drawStop(t *rapid.T) op {
	o := op{what: "stop", command: m.next(), session: m.drawSession(t)}
	turns := []string{"t0", "t1", "nobody", "", ""}
	if s := m.twin.session(o.session); s != nil {
		turns = append(turns, s.begun...)
		if s.open != "" {
			turns = append(turns, s.open, s.open, s.open, s.open)
		}
	}
	o.turn = evenly(t, "turn", turns)
	return o
}

// agent is what changes about who is attached: somebody, nobody, or nobody but for the
// program that is started where a turn needs one.
func (m *model) agent(t *rapid.T) {
	m.attached, m.hosts = evenly(t, "attached", []string{"agent", "agent", "hosted", ""}), rapid.Bool().Draw(t, "agent-cmd")
	m.twin.attached, m.twin.hosts = m.attached, m.hosts
}

// realTurn is an operation about turns as the core takes it; nil for others.
func realTurn(i decide.Intent, o op) decide.Command {
	switch o.what {
	case "turn":
		return decide.StartTurn{Intent: i, Session: o.session, Input: []json.RawMessage{json.RawMessage(`{"text":"a && b"}`)}}
	case "stop":
		return decide.InterruptTurn{Intent: i, Session: o.session, Turn: o.turn}
	case "exited":
		return decide.AgentExited{Session: o.session, PID: agents["hosted"].PID, Until: math.MaxUint64, Reason: "It is gone."}
	}
	return nil
}

// checkTurns holds what is open: in the session object, in what is known of the turn,
// and in the sessions above.
func (m *model) checkTurns(live *fold.Session, s *twinSession) {
	object := live.Object(fold.Profile{})
	var active string
	if object.ActiveTurnID != nil {
		active = *object.ActiveTurnID
	}
	open, is := live.OpenTurn()
	if active != s.open || is != (s.open != "") || is && (open.ID.String() != s.open || open.Hosted != s.hosted) || object.TurnCount != int64(len(s.begun)) {
		m.t.Fatalf("session %s: %q of %d turns is open, %+v; want %q of %d, hosted %v", s.id, active, object.TurnCount, open, s.open, len(s.begun), s.hosted)
	}
	if status := map[bool]wire.SessionStatus{true: wire.SessionRunning, false: wire.SessionIdle}[s.open != ""]; !s.closed && object.Status != status {
		m.t.Fatalf("session %s is %s, want %s", s.id, object.Status, status)
	}
	below := 0
	for _, in := range m.twin.family(s)[1:] {
		if in.open != "" {
			below++
		}
	}
	if live.RunningBelow != below {
		m.t.Fatalf("session %s: %d turns are open below, want %d", s.id, live.RunningBelow, below)
	}
	for _, turn := range s.begun {
		known, ended := live.Turn(turn)
		id, err := approval.ParseID(turn)
		if err != nil {
			m.t.Fatal(err)
		}
		want := []string{wire.MethodTurnStarted, wire.MethodTurnCompleted}
		if !ended {
			want = want[:1]
		}
		if got := strings.Join(m.events[id], " "); !known || ended == (turn == s.open) || got != strings.Join(want, " ") {
			m.t.Fatalf("session %s: turn %s is known %v, ended %v, with the events %s", s.id, turn, known, ended, got)
		}
	}
}

// dumpTurns writes down what a session says of its turns.
func (m *model) dumpTurns(b *strings.Builder, session *fold.Session) {
	open, is := session.OpenTurn()
	fmt.Fprintf(b, "open turn %v %+v, %d below\n", is, open, session.RunningBelow)
	for _, s := range m.twin.sessions {
		for _, turn := range s.begun {
			if known, ended := session.Turn(turn); known {
				fmt.Fprintf(b, "turn %s: ended %v\n", turn, ended)
			}
		}
	}
}
