package decide

import (
	"fmt"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// InterruptTurn stops a turn (protocol §4, turn/interrupt): the open one, or one that
// only approvals or prompts named.
type InterruptTurn struct {
	Intent
	Session approval.ID
	Turn    string
}

func (c InterruptTurn) concerns(*fold.State) approval.ID { return c.Session }

func (c InterruptTurn) decide(s *fold.State, env Env) Result {
	session, end := c.enter(s, c.Session)
	switch {
	case end != nil:
		return *end
	case session.Closed:
		return Result{Refusal: sessionClosed(session, c.Intent)}
	}
	if known, ended := session.Turn(c.Turn); !known || ended {
		why := fmt.Sprintf("Nothing in this session named the turn %q.", c.Turn)
		if ended {
			why = fmt.Sprintf("The turn %q has ended already.", c.Turn)
		}
		return refused(s, env, session, c.Intent, wire.NewError(wire.CodeCommandRejected, why, c.rejected(wire.ReasonInvalidTarget)))
	}
	ack := encode(wire.TurnInterruptResult{Ack: wire.Accepted(c.Command.String())})
	d := newDraft(s, env, session.ID, c.Command)
	d.endTurn(interrupted(c.Turn, c.By, c.intake(ack)), "The turn was interrupted.")
	return d.accepted(ack)
}

// interrupted is the end of a turn that somebody stopped.
func interrupted(turn string, by record.Party, intake *record.Intake) *record.TurnEnded {
	return &record.TurnEnded{
		TurnID: turn, Terminal: string(wire.TurnWasCancelled), Reason: "It was interrupted.", By: by, Command: intake,
	}
}
