package decide

import (
	"fmt"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// RevokeGrant ends a standing permission (protocol §6, grant/revoke). It binds
// the next action: what was allowed under the grant stays allowed. Revoking
// twice changes nothing.
type RevokeGrant struct {
	Intent
	Session approval.ID // the grant's, or for a persistent one any of its workspace
	Grant   approval.ID
}

func (c RevokeGrant) concerns(*fold.State) approval.ID { return c.Session }

func (c RevokeGrant) decide(s *fold.State, env Env) Result {
	session, end := c.enter(s, env, c.Session)
	switch {
	case end != nil:
		return *end
	case session.Closed:
		return Result{Refusal: sessionClosed(session, c.Intent)}
	}
	grant, ok := s.Grant(c.Grant)
	if !ok || !c.reaches(session, grant) {
		return Result{Refusal: grantNotFound(c.Grant)}
	}
	ack := encode(wire.Accepted(c.Command.String()))
	if grant.Revoked {
		return unchanged(s, env, session.ID, c.Intent, ack)
	}
	d := newDraft(s, env, session.ID, c.Command)
	d.add(grant.Approval, &record.GrantRevoked{GrantID: grant.ID, By: c.By, Command: c.intake(ack)})
	return d.accepted(ack)
}

// reaches reports whether a grant may be revoked through session.
func (c RevokeGrant) reaches(session *fold.Session, grant approval.Grant) bool {
	if grant.Scope == approval.ScopeLocalPersistent && grant.Root == session.Started.WorkspaceRoot {
		return true
	}
	return grant.Session == session.ID
}

func grantNotFound(id approval.ID) *wire.Error {
	return wire.NewError(wire.CodeNotFound,
		fmt.Sprintf("No grant %s can be revoked through this session: name the session that grant/list gives with it, or for a persistent one any open session of its workspace.", id))
}
