package decide

import (
	"fmt"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// StartSession starts a session (protocol §4, session/start).
type StartSession struct {
	Intent
	Session            approval.ID   // zero: mint one
	WorkspaceRoot      string        // real, absolute; "" for none
	Unfit              *wire.Error   // why the workspace asked for cannot be one; said to a new command only
	Mode               approval.Mode // "" for the daemon's own
	FromAgent          bool          // an agent may only narrow (protocol §2)
	Unattended         approval.Unattended
	CancelOnDisconnect bool
	ProviderID         string
	ModelID            string
	Name               string
}

func (c StartSession) decide(s *fold.State, env Env) Result {
	known, _ := s.Start(c.Command)
	if r, ok := c.replay(known); ok {
		return r
	}
	if _, taken := s.Session(c.Session); taken {
		return Result{Refusal: wire.NewError(wire.CodeCommandRejected,
			fmt.Sprintf("Session %s exists already; resume it, or start one with another id.", c.Session),
			c.rejected(wire.ReasonSessionIDConflict),
			func(d *wire.ErrorData) { d.SessionID = c.Session.String() })}
	}
	if c.Unfit != nil {
		return Result{Refusal: c.Unfit}
	}
	mode := c.Mode
	if mode == "" {
		mode = env.Limits.Mode
	}
	if most := c.most(env.Limits); !mode.Within(most) || c.letsItselfDecide(mode, most) {
		if s.StartRefusals() >= env.Limits.MaxRefusals {
			return Result{Refusal: tooManyRefusals(s.StartRefusals())}
		}
		return recordRefusal(s, env, approval.ID{}, c.Intent, overCeiling(mode, most, c.Intent))
	}
	id := c.Session
	if id.IsZero() {
		id = env.NewID()
	}
	body := &record.SessionStarted{
		WorkspaceRoot: c.WorkspaceRoot, Mode: string(mode), Unattended: string(c.Unattended),
		CancelOnDisconnect: c.CancelOnDisconnect, ProviderID: c.ProviderID, ModelID: c.ModelID,
		Name: c.Name, By: c.By, Command: c.intake(nil),
	}
	d := newDraft(s, env, id, c.Command)
	d.add(approval.ID{}, body)
	started := d.now()
	body.Command.Ack = encode(wire.SessionStartResult{
		Ack:        wire.Accepted(c.Command.String()),
		Session:    started.Object(env.Profile),
		ViewCursor: started.Head.Text(id),
	})
	return d.accepted(body.Command.Ack)
}

// letsItselfDecide reports whether an agent asks for the mode in which its own
// flag says whether anyone is asked: no agent may choose it, even where the
// order of modes would admit it (policy.md "Ceilings").
func (c StartSession) letsItselfDecide(mode, most approval.Mode) bool {
	return c.FromAgent && mode == approval.OnRequest && most != approval.OnRequest
}

// most is the mode that bounds this start: for an agent the configured one,
// which is itself within the ceiling.
func (c StartSession) most(l Limits) approval.Mode {
	if c.FromAgent {
		return l.Mode
	}
	return l.Ceiling
}
