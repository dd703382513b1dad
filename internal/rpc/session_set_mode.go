package rpc

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

// sessionSetApprovalMode serves session/setApprovalMode (protocol §4).
func (r *request) sessionSetApprovalMode() { r.command(r.setModeCommand()) }

func (r *request) setModeCommand() (c decide.SetMode, e *wire.Error) {
	var p wire.SessionSetApprovalModeParams
	if e := r.decode(&p); e != nil {
		return c, e
	}
	if c.Intent, e = r.intent(p.CommandID); e != nil {
		return c, e
	}
	if c.Session, e = r.session(p.SessionID); e != nil {
		return c, e
	}
	if c.Mode = approval.Mode(p.Mode); !c.Mode.Known() {
		return c, unknownMode("mode")
	}
	return c, nil
}
