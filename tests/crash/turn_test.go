package crash

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"github.com/approvald/approvald/wire"
)

// A turn's id stands in the header where that of an approval does (internal/record), but
// for one that an agent only named; the load ends none of those.
type turn struct{ session, id string }

// startTurn begins a turn, mostly in a session that is new: where anything waits it is
// refused.
func (w *world) startTurn(id string, r *rand.Rand) request {
	session := w.sessions[max(0, len(w.sessions)-1-r.IntN(2))]
	return request{wire.MethodTurnStart, fmt.Sprintf(`{"commandId":%q,"sessionId":%q,"input":[{"n":%d}]}`, id, session, r.IntN(9))}
}

// endTurn ends one of the last turns, in one of the two ways.
func (w *world) endTurn(id string, r *rand.Rand) request {
	of := w.turns[max(0, len(w.turns)-1-r.IntN(4))]
	if r.IntN(2) == 0 {
		return request{wire.MethodTurnInterrupt, fmt.Sprintf(`{"commandId":%q,"sessionId":%q,"turnId":%q}`, id, of.session, of.id)}
	}
	return request{wire.MethodTurnComplete, fmt.Sprintf(`{"commandId":%q,"sessionId":%q,"turnId":%q,"terminal":"completed"}`, id, of.session, of.id)}
}

// learnTurn takes up the turn that an ack tells of.
func (w *world) learnTurn(c *command, r reply) {
	var ack wire.TurnStartResult
	w.decode(r, &ack)
	var params wire.TurnStartParams
	w.decode(reply{result: json.RawMessage(c.params)}, &params)
	w.turns = append(w.turns, turn{params.SessionID, ack.TurnID})
}

// aboutTurn takes a record about a turn.
func (t *twin) aboutTurn(s *session, e *entry) {
	if e.kind == turnStarted {
		if s.turn != "" || e.approval == "" || t.over[e.approval] {
			t.fault("record %d starts the turn %q of session %s, whose turn %q is open", e.seq, e.approval, s.id, s.turn)
		}
		for _, a := range t.order {
			if a.session == s.id && a.settled == nil {
				t.fault("record %d starts a turn of session %s, and approval %s waits outside it", e.seq, s.id, a.id)
			}
		}
		s.turn, s.turns = e.approval, s.turns+1
		return
	}
	if s.turn == "" || e.approval != s.turn || e.body.TurnID != s.turn {
		t.fault("record %d ends the turn %q (%q) of session %s, whose open turn is %q", e.seq, e.approval, e.body.TurnID, s.id, s.turn)
	}
	for _, a := range t.order {
		if a.session == s.id && a.opened.body.TurnID == e.body.TurnID && (a.settled == nil || a.allowed() && a.consumed == nil && a.voided == nil && e.body.Reason != "The session was closed.") {
			t.fault("record %d ends the turn of approval %s, which waits still, or whose permit can be taken", e.seq, a.id)
		}
	}
	t.over[e.approval] = true
	s.turn = ""
}

// closeTurns checks what holds of turns at the end of a group.
func (t *twin) closeTurns() {
	for _, s := range t.begun {
		if s.closed && s.turn != "" {
			t.fault("session %s is closed, and its turn %s is open", s.id, s.turn)
		}
	}
	for _, a := range t.order {
		if t.over[a.opened.body.TurnID] && a.settled == nil {
			t.fault("approval %s waits in a turn that is over", a.id)
		}
	}
}

// carriedOutTurn lists what the ack of a command about a turn says and the log does not.
func (t *twin) carriedOutTurn(c *said, turn string) (faults []string) {
	want := turnEnded
	if c.method == wire.MethodTurnStart {
		want = turnStarted
	}
	for i := range t.log {
		if e := &t.log[i]; e.command == c.id && e.kind == want && e.approval == turn {
			return nil
		}
	}
	return []string{fmt.Sprintf("there is no %s of the turn %s by it", want, turn)}
}

// compareTurn holds what the daemon says of a session's turns against the log: a restart
// ends none.
func (a asker) compareTurn(s *session, known wire.Session) {
	a.t.Helper()
	var active string
	if known.ActiveTurnID != nil {
		active = *known.ActiveTurnID
	}
	if active != s.turn || known.TurnCount != s.turns || !s.closed && (known.Status == wire.SessionRunning) != (s.turn != "") {
		a.t.Errorf("session %s is %s, with the turn %q open, of %d; by the log it is %q, of %d", s.id, known.Status, active, known.TurnCount, s.turn, s.turns)
	}
}
