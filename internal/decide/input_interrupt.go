package decide

import (
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// InterruptInput settles a prompt, with the answers that there are so far, and stops
// its turn (protocol §6, userInput/interrupt): what else waits in the turn is
// cancelled, and its permits are void.
type InterruptInput struct {
	Intent
	Session approval.ID
	Input   approval.ID
	Answers []wire.Answer
}

func (c InterruptInput) concerns(*fold.State) approval.ID { return c.Session }

func (c InterruptInput) decide(s *fold.State, env Env) Result {
	session, p, end := c.enterPrompt(s, c.Session, c.Input)
	if end != nil {
		return *end
	}
	if why := misfit(p.Questions(), c.Answers, true); why != "" {
		return Result{Refusal: answerInvalid(p, why)}
	}
	d := newDraft(s, env, session.ID, c.Command)
	ack := c.settlePrompt(d, p, wire.UserInputInterrupted, &record.InputSettled{Answers: encodeAnswers(c.Answers)})
	d.stopTurn(p.Request.TurnID)
	return d.accepted(ack)
}

// stopTurn settles what waits in a turn of the draft's session, and in the calls
// nested in the turn's, and voids its permits.
func (d *draft) stopTurn(turn string) {
	const why = "The turn was interrupted."
	session := d.now()
	approvals := slices.DeleteFunc(session.PendingApprovals(), func(a *fold.Approval) bool { return !session.InTurn(a, turn) })
	prompts := slices.DeleteFunc(session.PendingPrompts(), func(p *fold.Prompt) bool { return !session.PromptInTurn(p, turn) })
	permits := session.Claims(func(a *fold.Approval) bool { return permitted(a) && session.InTurn(a, turn) })
	for _, a := range approvals {
		d.settle(a, approval.ByTurnEnd, &record.ApprovalSettled{Reason: why})
	}
	d.cancelPrompts(prompts, wire.SourceTurn, why)
	d.void(permits, wire.ReasonPermitTurnEnded, nil)
}
