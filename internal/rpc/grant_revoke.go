package rpc

import (
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

// grantRevoke serves grant/revoke (protocol §6).
func (r *request) grantRevoke() { r.command(r.revokeCommand()) }

func (r *request) revokeCommand() (c decide.RevokeGrant, e *wire.Error) {
	var p wire.GrantRevokeParams
	if e := r.decode(&p); e != nil {
		return c, e
	}
	if c.Intent, e = r.intent(p.CommandID); e != nil {
		return c, e
	}
	if c.Session, e = r.session(p.SessionID); e != nil {
		return c, e
	}
	c.Grant, e = identity("grantId", p.GrantID)
	return c, e
}
