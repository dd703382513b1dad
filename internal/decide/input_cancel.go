package decide

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// CancelInput settles a prompt that its person will not answer (protocol §6,
// userInput/cancel). An agent withdraws one with Cancel.
type CancelInput struct {
	Intent
	Session approval.ID
	Input   approval.ID
	Reason  string // "" for none
}

func (c CancelInput) concerns(*fold.State) approval.ID { return c.Session }

func (c CancelInput) decide(s *fold.State, env Env) Result {
	session, p, end := c.enterPrompt(s, env, c.Session, c.Input)
	if end != nil {
		return *end
	}
	d := newDraft(s, env, session.ID, c.Command)
	ack := c.settlePrompt(d, p, wire.UserInputCancelled, &record.InputSettled{Reason: c.Reason})
	return d.accepted(ack)
}
