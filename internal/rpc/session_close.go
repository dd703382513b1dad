package rpc

import (
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

// sessionClose serves session/close (protocol §4).
func (r *request) sessionClose() { r.command(r.closeCommand()) }

func (r *request) closeCommand() (c decide.CloseSession, e *wire.Error) {
	var p wire.SessionCloseParams
	if e := r.decode(&p); e != nil {
		return c, e
	}
	if c.Intent, e = r.intent(p.CommandID); e != nil {
		return c, e
	}
	if c.Session, e = r.session(p.SessionID); e != nil {
		return c, e
	}
	c.Reason = p.Reason
	return c, bounded("reason", p.Reason, maxReason)
}
