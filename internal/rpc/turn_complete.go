package rpc

import (
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

// turnComplete serves turn/complete (protocol §7).
func (r *request) turnComplete() { r.command(r.completeTurnCommand()) }

func (r *request) completeTurnCommand() (c decide.CompleteTurn, e *wire.Error) {
	var p wire.TurnCompleteParams
	if e := r.decode(&p); e != nil {
		return c, e
	}
	c.Turn, c.Terminal, c.Reason = p.TurnID, p.Terminal, p.Reason
	if c.Intent, e = r.intent(p.CommandID); e != nil {
		return c, e
	}
	if c.Session, e = r.session(p.SessionID); e != nil {
		return c, e
	}
	switch p.Terminal {
	case wire.TurnWasCompleted, wire.TurnWasCancelled, wire.TurnHasFailed:
	default:
		return c, invalid("terminal must be completed, cancelled or failed")
	}
	return c, first(name("turnId", p.TurnID), bounded("reason", p.Reason, maxReason))
}
