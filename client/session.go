package client

import (
	"context"

	"github.com/approvald/approvald/wire"
)

// StartSession starts a session, which from then on belongs to this client: it
// is resumed after every reconnect until it is closed. A commandId is minted
// where p has none.
func (c *Client) StartSession(ctx context.Context, p wire.SessionStartParams) (wire.SessionStartResult, error) {
	p.CommandID = orNewID(p.CommandID)
	var r wire.SessionStartResult
	first := c.current()
	l, err := c.call(ctx, wire.MethodSessionStart, p, &r)
	if err != nil {
		return r, err
	}
	c.attach(r.Session.SessionID)
	// An ack that was replayed to another connection does not make that connection
	// the owner, and a link that has gone since took the ownership with it.
	if c.opts.Reconnect && (l != first || l != c.current()) {
		_, err = c.ResumeSession(ctx, resumeParams(r.Session.SessionID))
	}
	return r, err
}

// ResumeSession loads a session and makes it belong to this client as
// [Client.StartSession] does. The daemon never answers it from its ledger, so
// the result is always that of now.
func (c *Client) ResumeSession(ctx context.Context, p wire.SessionResumeParams) (wire.SessionResumeResult, error) {
	p.CommandID = orNewID(p.CommandID)
	// Attached before it is asked for, so that a link that replaces the one that
	// answers resumes it too.
	had := c.attach(p.SessionID)
	var r wire.SessionResumeResult
	_, err := c.call(ctx, wire.MethodSessionResume, p, &r)
	if err != nil && !had {
		c.detach(p.SessionID)
	}
	return r, err
}

// ReadSession reads a session without loading it.
func (c *Client) ReadSession(ctx context.Context, sessionID string) (wire.SessionReadResult, error) {
	var r wire.SessionReadResult
	_, err := c.call(ctx, wire.MethodSessionRead, wire.SessionReadParams{SessionID: sessionID}, &r)
	return r, err
}

// ListSessions reads one page of the sessions that the role may see.
func (c *Client) ListSessions(ctx context.Context, p wire.SessionListParams) (wire.SessionListResult, error) {
	var r wire.SessionListResult
	_, err := c.call(ctx, wire.MethodSessionList, p, &r)
	return r, err
}

// SetApprovalMode selects the mode for the next action. A commandId is minted
// where p has none.
func (c *Client) SetApprovalMode(ctx context.Context, p wire.SessionSetApprovalModeParams) (wire.SessionSetApprovalModeResult, error) {
	p.CommandID = orNewID(p.CommandID)
	var r wire.SessionSetApprovalModeResult
	_, err := c.call(ctx, wire.MethodSessionSetApprovalMode, p, &r)
	return r, err
}

// CloseSession ends a session; what is pending settles as cancelled. A commandId
// is minted where p has none.
func (c *Client) CloseSession(ctx context.Context, p wire.SessionCloseParams) (wire.SessionCloseResult, error) {
	p.CommandID = orNewID(p.CommandID)
	var r wire.SessionCloseResult
	_, err := c.call(ctx, wire.MethodSessionClose, p, &r)
	if err == nil {
		c.detach(p.SessionID)
	}
	return r, err
}
