package decide

import (
	"fmt"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// CompleteTurn is the agent's word that a turn is over (protocol §7,
// turn/complete).
type CompleteTurn struct {
	Intent
	Session  approval.ID
	Turn     string
	Terminal wire.TurnTerminal
	Reason   string // "" for none
}

func (c CompleteTurn) concerns(*fold.State) approval.ID { return c.Session }

func (c CompleteTurn) decide(s *fold.State, env Env) Result {
	session, end := c.enter(s, env, c.Session)
	switch {
	case end != nil:
		return *end
	case session.Closed:
		return Result{Refusal: sessionClosed(session, c.Intent)}
	}
	switch known, ended := session.Turn(c.Turn); {
	case !known:
		return refused(s, env, session, c.Intent, wire.NewError(wire.CodeCommandRejected,
			fmt.Sprintf("Nothing in this session named the turn %q.", c.Turn), c.rejected(wire.ReasonInvalidTarget)))
	case ended:
		return refused(s, env, session, c.Intent, c.turnEnded(c.Turn))
	}
	ack := encode(wire.TurnCompleteResult{Ack: wire.Accepted(c.Command.String())})
	d := newDraft(s, env, session.ID, c.Command)
	why := "The turn that it belonged to has ended."
	if c.Reason != "" {
		why = "The turn that it belonged to has ended: " + c.Reason
	}
	d.endTurn(&record.TurnEnded{TurnID: c.Turn, Terminal: string(c.Terminal), Reason: c.Reason, By: c.By, Command: c.intake(ack)}, why)
	return d.accepted(ack)
}
