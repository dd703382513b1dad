package rpc

import (
	"encoding/json"
	"log/slog"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// sessionStart serves session/start (protocol §4). The caller is subscribed,
// and told of the session before it is answered.
func (r *request) sessionStart() {
	c, e := r.startCommand()
	if e != nil {
		r.fail(e)
		return
	}
	r.submit(c, effect{
		before: func(reply sequencer.Reply) {
			if len(reply.Records) > 0 {
				r.conn.started(reply.Records[0].Session)
			}
		},
		after: func(reply sequencer.Reply) {
			if len(reply.Records) == 0 {
				r.conn.startedBefore(reply.Ack)
			}
		},
	})
}

func (r *request) startCommand() (c decide.StartSession, e *wire.Error) {
	var p wire.SessionStartParams
	if e := r.decode(&p); e != nil {
		return c, e
	}
	if c.Intent, e = r.intent(p.CommandID); e != nil {
		return c, e
	}
	if e := first(optionalName("providerId", p.ProviderID), optionalName("modelId", p.ModelID), optionalName("name", p.Name)); e != nil {
		return c, e
	}
	c.ProviderID, c.ModelID, c.Name = p.ProviderID, p.ModelID, p.Name
	c.CancelOnDisconnect = p.CancelOnDisconnect
	c.FromAgent = r.conn.handshake.role == wire.RoleAgent
	if c.Unattended, e = unattended(p.Unattended, approval.Park); e != nil {
		return c, e
	}
	if c.Mode, c.Preset, e = modeOrPreset(p); e != nil {
		return c, e
	}
	if p.SessionID != "" {
		if c.Session, e = identity("sessionId", p.SessionID); e != nil {
			return c, e
		}
	}
	if e := r.below(&c, p); e != nil {
		return c, e
	}
	if p.WorkspaceRoot != "" && c.Unfit == nil {
		root, err := r.conn.srv.cfg.Inspector.WorkspaceRoot(p.WorkspaceRoot, r.conn.srv.cfg.Forbidden)
		if err != nil {
			c.Unfit = invalid("%v", err) // names the member itself
		}
		c.WorkspaceRoot = root
	}
	return c, nil
}

// modeOrPreset reads what a session is to start with; neither leaves it to the
// daemon's configuration or the parent.
func modeOrPreset(p wire.SessionStartParams) (mode approval.Mode, preset approval.Preset, e *wire.Error) {
	switch {
	case p.ApprovalMode != nil && p.Preset != "":
		return "", "", invalid("approvalMode and preset exclude each other; give one of them")
	case p.Preset != "":
		preset = approval.Preset(p.Preset)
		if _, known := preset.Mode(); !known {
			return "", "", invalid("preset must be read-only, workspace-write or danger-full-access")
		}
	case p.ApprovalMode != nil:
		if mode = approval.Mode(*p.ApprovalMode); !mode.Known() {
			return "", "", unknownMode("approvalMode")
		}
	}
	return mode, preset, nil
}

// below reads which session the new one is a child of. An agent names one that
// it may see; that it may not is said to a new command only, since a repeated one
// may come on a connection that has yet to resume the parent.
func (r *request) below(c *decide.StartSession, p wire.SessionStartParams) (e *wire.Error) {
	switch inherit := p.Inherit; {
	case inherit != "" && inherit != wire.InheritGrants && inherit != wire.InheritNone:
		return invalid("inherit must be grants or none")
	case inherit != "" && p.ParentSessionID == "":
		return invalid("inherit needs a parentSessionId: it says what a child session sees of its parent's")
	case p.ParentSessionID == "":
		return nil
	}
	c.Inherit = string(p.Inherit)
	if c.Parent, e = identity("parentSessionId", p.ParentSessionID); e != nil {
		return e
	}
	if !r.sees(c.Parent) {
		c.Unfit = decide.SessionNotFound(c.Parent)
	}
	return nil
}

func unattended(value wire.Unattended, otherwise approval.Unattended) (approval.Unattended, *wire.Error) {
	if value == "" {
		return otherwise, nil
	}
	u := approval.Unattended(value)
	if !u.Known() {
		return "", invalid("unattended must be park or refuse")
	}
	return u, nil
}

func unknownMode(member string) *wire.Error {
	return invalid("%s must be one of allowAll, promptUnmatched, onRequest and denyUnmatched", member)
}

// started subscribes the connection to the session that it has just started
// and tells everyone who may see it. It runs on the writer's goroutine, before
// the ack and before the session's first event.
func (c *conn) started(id approval.ID) {
	c.srv.own(c, id)
	var frame []byte
	var lineage []approval.ID
	var join uint64
	c.srv.seq.View(func(state *fold.State) {
		session, ok := state.Session(id)
		if !ok {
			return
		}
		join, lineage = session.First, session.Lineage
		frame = mustNotification(wire.MethodSessionStarted,
			wire.SessionStarted{Session: session.Object(c.srv.cfg.Profile)}, session.CreatedAt.UnixMilli())
	})
	if !c.handshake.optedOut(wire.MethodSessionStarted) {
		c.out.send(frame)
	}
	c.srv.announce(c, lineage, notice{noticeKey: noticeKey{id, wire.MethodSessionStarted}, frame: frame})
	c.srv.watch(c, id, join, func(joining) []task { return nil })
}

// startedBefore takes up a session whose start was answered from the ledger: a
// client that lost its connection between the command and the ack owns and
// sees what it started, from the ack's cursor on, as if the ack had arrived the
// first time. On the connection that has the session already it does nothing.
func (c *conn) startedBefore(ack json.RawMessage) {
	var started wire.SessionStartResult
	if err := json.Unmarshal(ack, &started); err != nil {
		c.srv.log.Error("an ack in the ledger cannot be read", slog.Any("cause", err))
		return
	}
	id, err := approval.ParseID(started.Session.SessionID)
	if err != nil || c.owns(id) {
		return
	}
	var join uint64
	var may bool
	c.srv.seq.View(func(state *fold.State) {
		join = state.Head()
		session, ok := state.Session(id)
		may = ok && c.mayResume(session)
	})
	from, ok := fold.ParseCursor(id, started.ViewCursor)
	if !may || !ok {
		return
	}
	c.srv.own(c, id)
	c.srv.watch(c, id, join, func(met joining) []task {
		return []task{
			&replay{session: id, met: met, after: &from, until: met.until},
			&reissue{session: id, until: met.until},
		}
	})
}
