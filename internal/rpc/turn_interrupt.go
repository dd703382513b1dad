package rpc

import (
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

// turnInterrupt serves turn/interrupt (protocol §4).
func (r *request) turnInterrupt() { r.command(r.interruptTurnCommand()) }

func (r *request) interruptTurnCommand() (c decide.InterruptTurn, e *wire.Error) {
	var p wire.TurnInterruptParams
	if e := r.decode(&p); e != nil {
		return c, e
	}
	c.Turn = p.TurnID
	if c.Intent, e = r.intent(p.CommandID); e != nil {
		return c, e
	}
	if c.Session, e = r.session(p.SessionID); e != nil {
		return c, e
	}
	return c, optionalName("turnId", p.TurnID)
}
