package decide

import (
	"fmt"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/policy"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// StartSession starts a session (protocol §4, session/start).
type StartSession struct {
	Intent
	Session            approval.ID     // zero: mint one
	Parent             approval.ID     // zero: a root
	Inherit            string          // "grants", fold.InheritNone, or "" for what is configured
	WorkspaceRoot      string          // real, absolute; "": the parent's, or none
	Unfit              *wire.Error     // why the workspace asked for cannot be one; said to a new command only
	Mode               approval.Mode   // "" for the preset's, the parent's or the daemon's own
	Preset             approval.Preset // "" for none; not together with Mode
	FromAgent          bool            // an agent may only narrow (protocol §2)
	Unattended         approval.Unattended
	CancelOnDisconnect bool
	ProviderID         string
	ModelID            string
	Name               string
}

// maxLineage bounds how deep sessions nest: every event of a session carries the
// path to it.
const maxLineage = 16

func (c StartSession) concerns(*fold.State) approval.ID { return c.Parent }

func (c StartSession) decide(s *fold.State, env Env) Result {
	if known, ok := s.Start(c.Command); ok {
		return c.replay(env, known)
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
	parent, refusal := c.above(s)
	if refusal != nil {
		return Result{Refusal: refusal}
	}
	mode := c.mode(parent, env.Limits)
	if refusal := c.overreaches(mode, env); refusal != nil {
		if s.StartRefusals() >= env.Limits.MaxRefusals {
			return Result{Refusal: tooManyRefusals(s.StartRefusals())}
		}
		return recordRefusal(s, env, approval.ID{}, c.Intent, refusal)
	}
	id := c.Session
	if id.IsZero() {
		id = env.NewID()
	}
	body := &record.SessionStarted{
		WorkspaceRoot: c.WorkspaceRoot, Mode: string(mode), Preset: string(c.Preset), Unattended: string(c.Unattended),
		CancelOnDisconnect: c.CancelOnDisconnect, ProviderID: c.ProviderID, ModelID: c.ModelID,
		Name: c.Name, By: c.By, Command: c.intake(nil),
	}
	if parent != nil {
		body.Parent, body.Inherit = parent.ID, c.inherit(env.Policy)
		if body.WorkspaceRoot == "" {
			body.WorkspaceRoot = parent.Started.WorkspaceRoot
		}
		if c.Mode == "" && c.Preset == "" {
			body.Preset, body.Inherited = string(parent.Preset), true
		}
	}
	d := newDraft(s, env, id, c.Command)
	d.add(approval.ID{}, body)
	started := d.now()
	body.Command.Ack = encode(wire.SessionStartResult{
		Ack:        wire.Accepted(c.Command.String()),
		Session:    started.Object(env.Profile),
		ViewCursor: started.Head().Text(id),
	})
	return d.accepted(body.Command.Ack)
}

// above is the parent that the command names; nil for none.
func (c StartSession) above(s *fold.State) (*fold.Session, *wire.Error) {
	if c.Parent.IsZero() {
		return nil, nil
	}
	parent, ok := s.Session(c.Parent)
	switch {
	case !ok:
		return nil, SessionNotFound(c.Parent)
	case parent.Closed:
		return nil, sessionClosed(parent, c.Intent)
	case len(parent.Lineage) >= maxLineage:
		return nil, wire.NewError(wire.CodeInvalidParams,
			fmt.Sprintf("parentSessionId: sessions nest at most %d deep; start the child further up.", maxLineage))
	}
	return parent, nil
}

// mode is the one that the session starts with.
func (c StartSession) mode(parent *fold.Session, l Limits) approval.Mode {
	if ofPreset, ok := c.Preset.Mode(); ok {
		return ofPreset
	}
	switch {
	case c.Mode != "":
		return c.Mode
	case parent != nil:
		return parent.Mode.Mode
	}
	return l.Mode
}

// inherit says which grants of its ancestors a child sees.
func (c StartSession) inherit(p *policy.Policy) string {
	if c.Inherit == "" && p.NoInherit() {
		return fold.InheritNone
	}
	return c.Inherit
}

// overreaches refuses a mode or preset that is more than this caller may start
// with (policy.md "Ceilings", protocol §2); nil where it is not.
func (c StartSession) overreaches(mode approval.Mode, env Env) *wire.Error {
	if c.FromAgent && c.Preset != "" && !env.Policy.AgentMayChoose(c.Preset) {
		return presetForbidden(c.Preset, c.Intent)
	}
	most := c.most(env.Limits)
	if mode.Within(most) && !c.letsItselfDecide(mode, most) {
		return nil
	}
	if parent := c.Parent; !parent.IsZero() && c.Mode == "" && c.Preset == "" {
		return nil // its parent's: the strictest of both holds anyway
	}
	return overCeiling(mode, most, c.Intent)
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
