package decide

import (
	"encoding/json"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// StartTurn opens a turn of a session, for the agent that is attached to it or, where
// there is none, for the program of --agent-cmd (protocol §4, turn/start).
type StartTurn struct {
	Intent
	Session approval.ID
	Input   []json.RawMessage // JSON objects, as given
}

func (c StartTurn) concerns(*fold.State) approval.ID { return c.Session }

func (c StartTurn) decide(s *fold.State, env Env) Result {
	session, end := c.enter(s, env, c.Session)
	switch {
	case end != nil:
		return *end
	case session.Closed:
		return Result{Refusal: sessionClosed(session, c.Intent)}
	}
	if why := occupied(session); why != "" {
		return refused(s, env, session, c.Intent, wire.NewError(wire.CodeCommandRejected, why, c.rejected(wire.ReasonRunActive)))
	}
	agent := env.Agent(session.ID)
	if agent == nil && !env.AgentCommand {
		return refused(s, env, session, c.Intent, wire.NewError(wire.CodeCommandRejected,
			"No agent is attached to this session: nobody who owns it and said turns is connected. Connect one, and send the turn again under another commandId.",
			c.rejected(wire.ReasonMissingRun)))
	}
	id := env.NewID()
	ack := encode(wire.TurnStartResult{
		Ack: wire.Accepted(c.Command.String()), TurnID: id.String(), StartedNewTurn: true, Disposition: wire.TurnBegan,
	})
	d := newDraft(s, env, session.ID, c.Command)
	d.add(id, &record.TurnStarted{
		Input: encode(wire.List[json.RawMessage](c.Input)), Agent: agent, Hosted: agent == nil || agent.Hosted(), By: c.By, Command: c.intake(ack),
	})
	return d.accepted(ack)
}

// occupied is why a session takes no turn now; "" where it does. What waits outside a
// turn, a question for a person, would be left behind by one that begins.
func occupied(session *fold.Session) string {
	switch {
	case session.Running():
		return "A turn of this session is open; wait for turn/completed, or interrupt it."
	case session.Pending > 0:
		return "Approvals of this session are pending outside a turn; have them decided or withdrawn first."
	case session.Prompts > 0:
		return "Prompts of this session are pending outside a turn; have them answered or withdrawn first."
	}
	return ""
}
