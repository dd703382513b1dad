package rpc

import (
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

// userInputInterrupt serves userInput/interrupt (protocol §6).
func (r *request) userInputInterrupt() { r.command(r.interruptCommand()) }

func (r *request) interruptCommand() (c decide.InterruptInput, e *wire.Error) {
	var p wire.UserInputInterruptParams
	if e := r.decode(&p); e != nil {
		return c, e
	}
	c.Answers = p.Answers
	c.Intent, c.Session, c.Input, e = r.toPrompt(p.CommandID, p.SessionID, p.UserInputID)
	return c, e
}
