package rpc

import "github.com/approvald/approvald/wire"

// connectionNarrow serves connection/narrow, the one method besides initialize
// that comes before the handshake. The bound is the connection's own: whoever sends
// it again, be it the peer that the connection was handed on to, can only narrow
// it further.
func (r *request) connectionNarrow() {
	c := r.conn
	if c.handshake.begun {
		r.fail(alreadyInitialized())
		return
	}
	var p wire.ConnectionNarrowParams
	if e := r.decode(&p); e != nil {
		r.fail(e)
		return
	}
	if !roleWithin(p.Role, c.transport.Widest) {
		r.fail(tooWide("role", c.transport.Widest))
		return
	}
	c.transport.Widest = p.Role
	r.reply(wire.ConnectionNarrowResult(p))
}

func alreadyInitialized() *wire.Error {
	return wire.NewError(wire.CodeInvalidRequest, "The connection is initialized already.",
		func(d *wire.ErrorData) { d.Kind = wire.KindAlreadyInitialized })
}

func tooWide(member string, widest wire.Role) *wire.Error {
	return invalid("%s: this connection may be %s and nothing wider", member, widest)
}
