package decide

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// InterruptInput settles a prompt, with the answers that there are so far, and stops
// its turn (protocol §6, userInput/interrupt): what else waits in the turn is
// cancelled, its permits are void, and it is over.
type InterruptInput struct {
	Intent
	Session approval.ID
	Input   approval.ID
	Answers []wire.Answer
}

func (c InterruptInput) concerns(*fold.State) approval.ID { return c.Session }

func (c InterruptInput) decide(s *fold.State, env Env) Result {
	session, p, end := c.enterPrompt(s, env, c.Session, c.Input)
	if end != nil {
		return *end
	}
	if why := misfit(p.Questions(), c.Answers, true); why != "" {
		return Result{Refusal: answerInvalid(p, why)}
	}
	d := newDraft(s, env, session.ID, c.Command)
	ack := c.settlePrompt(d, p, wire.UserInputInterrupted, &record.InputSettled{Answers: encodeAnswers(c.Answers)})
	d.endTurn(interrupted(p.Request.TurnID, c.By, nil), "The turn was interrupted.")
	return d.accepted(ack)
}
