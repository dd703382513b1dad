package fold

import (
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"

	"github.com/approvald/approvald/internal/approval"
)

// turn is what is remembered of a turn: that something named it, and whether it
// is over.
type turn struct{ known, ended bool }

// noteTurn remembers that an approval, or a prompt, named a turn.
func (d *Details) noteTurn(id string) {
	if t, _ := d.turns.get(id); !t.known {
		d.turns.put(id, turn{known: true})
	}
}

// Turn reports whether anything in the session ever named a turn, and whether
// that is over.
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
