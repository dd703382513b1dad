package rpc

import (
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// told is a rendered event as the connection is told of it: with who decided, where it has
// the capability decidedBy. That is put together for each such connection, which are few,
// and kept nowhere; the ring holds what everybody is told.
func (h *handshake) told(e shown) shown {
	if !h.decidedBy || e.by == nil {
		return e
	}
	params := make([]byte, 0, len(e.params)+len(e.by)+16)
	params = append(params, e.params[:len(e.params)-1]...) // an object, and not an empty one
	params = append(params, `,"decidedBy":`...)
	params = append(params, e.by...)
	e.frame, e.params = notificationFrame(e.method, append(params, '}'), e.at)
	return e
}

// deciderOf is who settled an approval or a prompt by a record, as JSON; nil for nobody.
func deciderOf(r record.Record) ([]byte, error) {
	by := fold.Decider(r)
	if by == nil {
		return nil, nil
	}
	return wire.Marshal(by)
}
