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
	Turn    string // "": the open one
}

func (c InterruptTurn) concerns(*fold.State) approval.ID { return c.Session }

func (c InterruptTurn) decide(s *fold.State, env Env) Result {
	session, end := c.enter(s, env, c.Session)
	switch {
	case end != nil:
		return *end
	case session.Closed:
		return Result{Refusal: sessionClosed(session, c.Intent)}
	}
	turn, why := c.target(session)
	if why != "" {
		return refused(s, env, session, c.Intent, wire.NewError(wire.CodeCommandRejected, why, c.rejected(wire.ReasonInvalidTarget)))
	}
	ack := encode(wire.TurnInterruptResult{Ack: wire.Accepted(c.Command.String()), TurnID: turn})
	d := newDraft(s, env, session.ID, c.Command)
	d.endTurn(interrupted(turn, c.By, c.intake(ack)), "The turn was interrupted.")
	return d.accepted(ack)
}

// target is the turn that is meant, or why there is none.
func (c InterruptTurn) target(session *fold.Session) (turn, why string) {
	if c.Turn == "" {
		if open, ok := session.OpenTurn(); ok {
			return open.ID.String(), ""
		}
		return "", "No turn of this session is open."
	}
	switch known, ended := session.Turn(c.Turn); {
	case !known:
		return "", fmt.Sprintf("Nothing in this session named the turn %q.", c.Turn)
	case ended:
		return "", fmt.Sprintf("The turn %q has ended already.", c.Turn)
	}
	return c.Turn, ""
}

// interrupted is the end of a turn that somebody stopped.
func interrupted(turn string, by record.Party, intake *record.Intake) *record.TurnEnded {
	return &record.TurnEnded{
		TurnID: turn, Terminal: string(wire.TurnWasCancelled), Reason: "It was interrupted.", By: by, Command: intake,
	}
}
