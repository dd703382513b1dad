package feed

import (
	"context"
	"errors"
	"fmt"

	"github.com/approvald/approvald/internal/inbox"
	"github.com/approvald/approvald/wire"
)

// Do carries out an effect and returns its answer, nil where there is none.
func (f *Feed) Do(ctx context.Context, effect inbox.Effect) inbox.Msg {
	switch e := effect.(type) {
	case inbox.Decide:
		ack, err := f.client.Decide(ctx, e.Params)
		return inbox.Decided{Params: e.Params, Ack: ack, Err: err}
	case inbox.Answer:
		_, err := f.client.AnswerInput(ctx, e.Params)
		return inbox.Replied{PromptID: e.Params.UserInputID, Words: "answered", Err: err}
	case inbox.Decline:
		_, err := f.client.CancelInput(ctx, e.Params)
		return inbox.Replied{PromptID: e.Params.UserInputID, Words: "declined", Err: err}
	case inbox.Clarify:
		_, err := f.client.ClarifyInput(ctx, e.Params)
		return inbox.Replied{PromptID: e.Params.UserInputID, Words: "replied", Err: err}
	case inbox.Engage:
		// Where it does not arrive, the deadline runs on; the answer counts all the same.
		_ = f.client.EngageInput(ctx, e.Params)
		return nil
	case inbox.Read:
		r, err := f.client.ReadApproval(ctx, wire.ApprovalReadParams{SessionID: e.SessionID, ApprovalID: e.ApprovalID})
		return inbox.Known{ApprovalID: e.ApprovalID, Result: r, Err: err}
	case inbox.LoadPast:
		entries, err := f.past(ctx)
		return inbox.Past{Entries: entries, Err: err}
	case inbox.LoadGrants:
		r, err := f.client.Grants(ctx, wire.GrantListParams{})
		return inbox.Granted{Grants: r.Grants, Err: err}
	case inbox.Revoke:
		return inbox.Revoked{Grant: e.Grant, Err: f.revoke(ctx, e.Grant)}
	case inbox.LoadSessions:
		sessions, err := f.sessions(ctx)
		return inbox.Sessions{Sessions: sessions, Err: err}
	case inbox.SetMode:
		r, err := f.client.SetApprovalMode(ctx, wire.SessionSetApprovalModeParams{SessionID: e.SessionID, Mode: e.Mode})
		return inbox.ModeSet{SessionID: e.SessionID, Mode: r.EffectiveMode.Mode, Err: err}
	}
	return nil
}

// sessions are the latest.
func (f *Feed) sessions(ctx context.Context) ([]wire.Session, error) {
	most := 200
	r, err := f.client.ListSessions(ctx, wire.SessionListParams{Limit: &most})
	return r.Sessions, err
}

// revoke takes a grant back, a rule of a workspace through any session of it: the one
// that it was given in may be over.
func (f *Feed) revoke(ctx context.Context, g wire.Grant) error {
	_, err := f.client.RevokeGrant(ctx, wire.GrantRevokeParams{SessionID: g.SessionID, GrantID: g.GrantID})
	if err == nil || g.Scope != wire.ScopeLocalPersistent {
		return err
	}
	most := 200
	r, listed := f.client.ListSessions(ctx, wire.SessionListParams{Limit: &most, WorkspaceRoot: g.WorkspaceRoot})
	if listed != nil {
		return errors.Join(err, listed)
	}
	for _, s := range r.Sessions {
		if _, again := f.client.RevokeGrant(ctx, wire.GrantRevokeParams{SessionID: s.SessionID, GrantID: g.GrantID}); again == nil {
			return nil
		}
	}
	return fmt.Errorf("no session of its workspace is open; `approvald grants revoke %s` starts one for it (%w)", g.GrantID, err)
}
