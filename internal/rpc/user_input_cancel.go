package rpc

import (
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

// userInputCancel serves userInput/cancel (protocol §6).
func (r *request) userInputCancel() { r.command(r.cancelInputCommand()) }

func (r *request) cancelInputCommand() (c decide.CancelInput, e *wire.Error) {
	var p wire.UserInputCancelParams
	if e := r.decode(&p); e != nil {
		return c, e
	}
	c.Reason = p.Reason
	if c.Intent, c.Session, c.Input, e = r.toPrompt(p.CommandID, p.SessionID, p.UserInputID); e != nil {
		return c, e
	}
	return c, bounded("reason", p.Reason, maxReason)
}
