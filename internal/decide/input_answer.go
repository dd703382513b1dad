package decide

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// AnswerInput answers a prompt (protocol §6, userInput/answer). The first durable
// settlement wins.
type AnswerInput struct {
	Intent
	Session approval.ID
	Input   approval.ID
	Answers []wire.Answer
}

func (c AnswerInput) concerns(*fold.State) approval.ID { return c.Session }

func (c AnswerInput) decide(s *fold.State, env Env) Result {
	session, p, end := c.enterPrompt(s, env, c.Session, c.Input)
	if end != nil {
		return *end
	}
	if why := misfit(p.Questions(), c.Answers, false); why != "" {
		return Result{Refusal: answerInvalid(p, why)}
	}
	d := newDraft(s, env, session.ID, c.Command)
	ack := c.settlePrompt(d, p, wire.UserInputAnswered, &record.InputSettled{Answers: encodeAnswers(c.Answers)})
	return d.accepted(ack)
}
