package rpc

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

// sessionSetApprovalMode serves session/setApprovalMode (protocol §4).
func (r *request) sessionSetApprovalMode() {
	var p wire.SessionSetApprovalModeParams
	if e := r.decode(&p); e != nil {
		r.fail(e)
		return
	}
	intent, e := r.intent(p.CommandID)
	if e != nil {
		r.fail(e)
		return
	}
	session, e := r.session(p.SessionID)
	if e != nil {
		r.fail(e)
		return
	}
	mode := approval.Mode(p.Mode)
	if !mode.Known() {
		r.fail(unknownMode("mode"))
		return
	}
	r.submit(decide.SetMode{Intent: intent, Session: session, Mode: mode}, effect{})
}
