package rpc

import (
	"bytes"

	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

// The bounds on the input of a turn: the contract names none. The bytes are those of
// the largest text that a request may hand in otherwise.
const (
	maxInputParts = 1024
	maxInputBytes = maxContentAndDiff
)

// turnStart serves turn/start (protocol §4).
func (r *request) turnStart() { r.command(r.startTurnCommand()) }

func (r *request) startTurnCommand() (c decide.StartTurn, e *wire.Error) {
	var p wire.TurnStartParams
	if e := r.decode(&p); e != nil {
		return c, e
	}
	if c.Intent, e = r.intent(p.CommandID); e != nil {
		return c, e
	}
	if c.Session, e = r.session(p.SessionID); e != nil {
		return c, e
	}
	if n := len(p.Input); n < 1 || n > maxInputParts {
		return c, invalid("input must have 1 to %d parts, not %d", maxInputParts, n)
	}
	size := 0
	for i, part := range p.Input {
		if !bytes.HasPrefix(part, []byte("{")) {
			return c, invalid("input[%d] must be an object", i)
		}
		size += len(part)
	}
	if size > maxInputBytes {
		return c, invalid("input must be at most %d bytes long, not %d", maxInputBytes, size)
	}
	c.Input = p.Input
	return c, nil
}
