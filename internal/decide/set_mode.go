package decide

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// SetMode selects a session's mode (protocol §4, session/setApprovalMode). It
// binds the next action and decides nothing that is pending.
type SetMode struct {
	Intent
	Session approval.ID
	Mode    approval.Mode // one of the four
}

func (c SetMode) concerns(*fold.State) approval.ID { return c.Session }

func (c SetMode) decide(s *fold.State, env Env) Result {
	session, end := c.enter(s, env, c.Session)
	switch {
	case end != nil:
		return *end
	case session.Closed:
		return Result{Refusal: sessionClosed(session, c.Intent)}
	case !c.Mode.Within(env.Limits.Ceiling):
		return refused(s, env, session, c.Intent, overCeiling(c.Mode, env.Limits.Ceiling, c.Intent))
	case c.Mode == session.Mode.Mode:
		return unchanged(s, env, session.ID, c.Intent, c.ack(session, env, wire.ApplyNoop))
	}
	body := &record.ModeSet{
		Mode: string(c.Mode), Source: string(approval.ModeReconfigured), By: c.By, Command: c.intake(nil),
	}
	d := newDraft(s, env, session.ID, c.Command)
	d.add(approval.ID{}, body)
	body.Command.Ack = c.ack(d.now(), env, wire.ApplyCompleted)
	return d.accepted(body.Command.Ack)
}

func (c SetMode) ack(session *fold.Session, env Env, outcome wire.ApplyOutcome) []byte {
	return encode(wire.SessionSetApprovalModeResult{
		Ack:           wire.Accepted(c.Command.String()),
		ApplyOutcome:  outcome,
		EffectiveMode: session.Mode.Object(env.Profile),
	})
}
