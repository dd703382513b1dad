package rpc

import (
	"fmt"

	"github.com/approvald/approvald/wire"
)

// handler serves one method on the dispatcher's goroutine. It answers the
// request, or has it answered; it must not wait for a person.
type handler func(*request)

// handlers is the table of what is served. The roles that may call a method,
// and whether it is a command, are in wire.Methods.
var handlers = map[string]handler{
	wire.MethodSessionStart:           (*request).sessionStart,
	wire.MethodSessionResume:          (*request).sessionResume,
	wire.MethodSessionRead:            (*request).sessionRead,
	wire.MethodSessionList:            (*request).sessionList,
	wire.MethodSessionSetApprovalMode: (*request).sessionSetApprovalMode,
	wire.MethodSessionClose:           (*request).sessionClose,
	wire.MethodTurnStart:              (*request).turnStart,
	wire.MethodTurnInterrupt:          (*request).turnInterrupt,
	wire.MethodViewPage:               (*request).viewPage,
	wire.MethodViewSubscribe:          (*request).viewSubscribe,
	wire.MethodViewUnsubscribe:        (*request).viewUnsubscribe,
	wire.MethodApprovalOpen:           (*request).approvalOpen,
	wire.MethodApprovalAwait:          (*request).approvalAwait,
	wire.MethodApprovalCancel:         (*request).approvalCancel,
	wire.MethodApprovalConsume:        (*request).approvalConsume,
	wire.MethodApprovalPrepare:        (*request).approvalPrepare,
	wire.MethodApprovalConsumeAll:     (*request).approvalConsumeAll,
	wire.MethodApprovalDecide:         (*request).approvalDecide,
	wire.MethodApprovalListPending:    (*request).approvalListPending,
	wire.MethodApprovalRead:           (*request).approvalRead,
	wire.MethodUserInputOpen:          (*request).userInputOpen,
	wire.MethodUserInputAwait:         (*request).userInputAwait,
	wire.MethodUserInputAnswer:        (*request).userInputAnswer,
	wire.MethodUserInputCancel:        (*request).userInputCancel,
	wire.MethodUserInputClarify:       (*request).userInputClarify,
	wire.MethodUserInputInterrupt:     (*request).userInputInterrupt,
	wire.MethodCatalogOpen:            (*request).catalogOpen,
	wire.MethodCatalogUpdate:          (*request).catalogUpdate,
	wire.MethodCatalogClose:           (*request).catalogClose,
	wire.MethodTurnComplete:           (*request).turnComplete,
	wire.MethodGrantList:              (*request).grantList,
	wire.MethodGrantRevoke:            (*request).grantRevoke,
}

// volatile are the methods that an ephemeral daemon does not have
// (protocol §8): there is nothing on disk to come back to.
var volatile = map[string]bool{
	wire.MethodSessionResume: true,
	wire.MethodSessionRead:   true,
}

// handle serves one message of the peer, in the order sent.
func (c *conn) handle(m message) {
	if m.id == nil {
		switch m.method {
		case wire.MethodInitialized:
			c.initialized()
		case wire.MethodUserInputEngaged:
			c.userInputEngaged(m)
		}
		return // other notifications mean nothing here and are not answered
	}
	r := &request{conn: c, id: m.id, method: m.method, params: m.params}
	serve, refusal := c.admitMethod(m.method)
	if refusal != nil {
		r.fail(refusal)
		return
	}
	defer func() {
		if p := recover(); p != nil { // a fault of this program in one request
			r.internal(fmt.Errorf("panic: %v", p))
		}
	}()
	serve(r)
}

// admitMethod finds the handler, or says why this connection may not have it.
// The role is checked before anything that would tell what exists.
func (c *conn) admitMethod(method string) (handler, *wire.Error) {
	if why := c.transport.Refused; why != "" {
		return nil, roleForbidden(c.transport.Widest, method, why)
	}
	switch method {
	case wire.MethodInitialize:
		return (*request).initialize, nil
	case wire.MethodConnectionNarrow:
		return (*request).connectionNarrow, nil
	}
	if !c.handshake.done {
		return nil, wire.NewError(wire.CodeInvalidRequest, "The connection is not initialized; send initialize, then initialized.",
			func(d *wire.ErrorData) { d.Kind = wire.KindNotInitialized })
	}
	serve, ok := handlers[method]
	if !ok || c.srv.cfg.Ephemeral && volatile[method] {
		return nil, wire.NewError(wire.CodeMethodNotFound, fmt.Sprintf("There is no method %q here.", clip(method)),
			func(d *wire.ErrorData) { d.Method = clip(method) })
	}
	spec, ok := wire.LookupMethod(method)
	if !ok || !spec.Allows(c.handshake.role) {
		return nil, roleForbidden(c.handshake.role, method,
			fmt.Sprintf("A connection in the role %s may not call %s.", c.handshake.role, method))
	}
	if spec.Kind != wire.CommandMethod || method == wire.MethodSessionResume {
		c.settle() // what is asked sees every command sent before it
	}
	return serve, nil
}

func roleForbidden(role wire.Role, method, why string) *wire.Error {
	return wire.NewError(wire.CodeRoleForbidden, why, func(d *wire.ErrorData) { d.Role, d.Method = role, clip(method) })
}

// clip shortens a peer's text for an answer to it.
func clip(s string) string {
	const most = 128
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
