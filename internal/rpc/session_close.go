package rpc

import (
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

// sessionClose serves session/close (protocol §4).
func (r *request) sessionClose() {
	var p wire.SessionCloseParams
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
	if e := bounded("reason", p.Reason, maxReason); e != nil {
		r.fail(e)
		return
	}
	r.submit(decide.CloseSession{Intent: intent, Session: session, Reason: p.Reason}, effect{})
}
