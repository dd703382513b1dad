package decide

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// ClarifyInput settles a prompt with something other than answers (protocol §6,
// userInput/clarify). It is well formed.
type ClarifyInput struct {
	Intent
	Session       approval.ID
	Input         approval.ID
	Clarification wire.Clarification
}

func (c ClarifyInput) concerns(*fold.State) approval.ID { return c.Session }

func (c ClarifyInput) decide(s *fold.State, env Env) Result {
	session, p, end := c.enterPrompt(s, env, c.Session, c.Input)
	if end != nil {
		return *end
	}
	d := newDraft(s, env, session.ID, c.Command)
	ack := c.settlePrompt(d, p, wire.UserInputClarified, &record.InputSettled{Clarification: encode(c.Clarification)})
	return d.accepted(ack)
}
