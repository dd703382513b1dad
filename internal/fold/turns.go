package fold

import (
	"encoding/json"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// OpenTurn is a turn that was started and has not ended. A session has at most one.
type OpenTurn struct {
	ID      approval.ID
	Command approval.CommandID // that started it
	Started uint64             // sequence of the record that opened it
	Hosted  bool               // it is the program of --agent-cmd that carries it out
}

// OpenTurn is the session's open turn; false for none.
func (s *Session) OpenTurn() (OpenTurn, bool) {
	if open := s.full().open; open != nil {
		return *open, true
	}
	return OpenTurn{}, false
}

// noteOpenTurn notes in the outlines of a session, and of those above it, what a record
// of that kind says of its open turn; id is from the record's header.
func (s *State) noteOpenTurn(session *Session, k record.Kind, id approval.ID) {
	if k != record.KindTurnStarted && (k != record.KindTurnEnded || id.IsZero() || id != session.ActiveTurn) {
		return
	}
	more := -1
	session.ActiveTurn = approval.ID{}
	if k == record.KindTurnStarted {
		more = +1
		session.ActiveTurn = id
		session.TurnCount++
	}
	for _, id := range session.Lineage[:len(session.Lineage)-1] {
		if above, ok := s.touch(id); ok {
			above.RunningBelow += more
		}
	}
}

// turn is what is remembered of a turn: that something named it, and whether it
// is over.
type turn struct{ known, ended bool }

// noteTurn remembers that an approval, or a prompt, named a turn.
func (d *Details) noteTurn(id string) {
	if t, _ := d.turns.get(id); !t.known {
		d.turns.put(id, turn{known: true})
	}
}

// Turn reports whether a turn was ever started in the session, or named by anything
// in it, and whether that is over.
func (s *Session) Turn(id string) (known, ended bool) {
	t, _ := s.full().turns.get(id)
	return t.known, t.ended
}

// EndedAround is the turn that is over and that something in turn, nested in the
// call parent, would belong to: by its own word, or by a call around it. "" for
// none, and for what names neither.
func (s *Session) EndedAround(turn, parent string) (ended string) {
	over := func(id string) bool {
		_, is := s.Turn(id)
		return is
	}
	if turn != "" && over(turn) {
		return turn
	}
	s.ancestor(parent, func(_ string, c call) bool {
		if c.turn == "" || !over(c.turn) {
			return false
		}
		ended = c.turn
		return true
	})
	return ended
}

func turnStarted(r record.Record, body *record.TurnStarted, lineage []approval.ID) *wire.TurnStarted {
	return &wire.TurnStarted{
		SessionID:   r.Session.String(),
		ViewCursor:  CursorAt(r.Seq, 0).Text(r.Session),
		SourceRange: sourceRange(r.Session, r.Seq),
		TurnID:      r.Approval.String(),
		CommandID:   r.Command.String(),
		Input:       input(body),

		SubagentOrigin: Origin(lineage),
	}
}

// input is what a turn was started with. decide wrote it; what cannot be read is
// nothing.
func input(body *record.TurnStarted) (parts []json.RawMessage) {
	if json.Unmarshal(body.Input, &parts) != nil {
		return nil
	}
	return parts
}

func turnCompleted(r record.Record, body *record.TurnEnded, lineage []approval.ID) *wire.TurnCompleted {
	return &wire.TurnCompleted{
		SessionID:   r.Session.String(),
		ViewCursor:  CursorAt(r.Seq, 0).Text(r.Session),
		SourceRange: sourceRange(r.Session, r.Seq),
		TurnID:      body.TurnID,
		Terminal:    wire.TurnTerminal(body.Terminal),
		Reason:      body.Reason,

		SubagentOrigin: Origin(lineage),
	}
}
