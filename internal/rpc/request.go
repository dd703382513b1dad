package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/canon"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// request is one request in work. It is answered exactly once, by answer,
// reply or fail, from any goroutine.
type request struct {
	conn   *conn
	id     json.RawMessage
	method string
	params json.RawMessage
}

// answer sends a result that is JSON already.
func (r *request) answer(result json.RawMessage) {
	r.conn.out.send(r.frameOf(result))
	r.conn.finished()
}

// frameOf is the frame of a result, or of the error that it is too large for a
// frame (protocol §1).
func (r *request) frameOf(result json.RawMessage) []byte {
	frame := responseFrame(r.id, result)
	if len(frame)-len("\n") <= wire.MaxFrame {
		return frame
	}
	return errorFrame(r.id, invalid("the answer would be larger than the 10 MiB that a frame may have; ask for less at once"))
}

// reply sends a result.
func (r *request) reply(result any) {
	body, err := wire.Marshal(result)
	if err != nil {
		r.internal(fmt.Errorf("encode the result of %s: %w", r.method, err))
		return
	}
	r.answer(body)
}

// fail sends an error.
func (r *request) fail(e *wire.Error) {
	r.conn.out.send(errorFrame(r.id, e))
	r.conn.finished()
}

// internal sends an internal error without its cause, which goes to the log.
func (r *request) internal(cause error) { r.fail(r.hidden(cause)) }

// hidden is the error of a cause that only the log is told.
func (r *request) hidden(cause error) *wire.Error {
	r.conn.srv.log.Error("request failed", slog.String("method", r.method), slog.Uint64("conn", r.conn.id), slog.Any("cause", cause))
	return wire.NewError(wire.CodeInternal, "internal error")
}

// finished takes a request out of work.
func (c *conn) finished() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inWork--
	c.settled.Broadcast()
}

// decode reads the params into v; absent params are an empty object.
func (r *request) decode(v any) *wire.Error {
	if r.params == nil {
		return nil
	}
	if err := canon.Unmarshal(r.params, v); err != nil {
		return invalid("%v", err)
	}
	return nil
}

// intent is what the command carries for the ledger and the audit.
func (r *request) intent(commandID string) (decide.Intent, *wire.Error) {
	id, err := approval.ParseCommandID(commandID)
	if err != nil {
		return decide.Intent{}, invalid("%v", err) // names the member itself
	}
	params := r.params
	if params == nil {
		params = empty
	}
	payload, err := canon.Payload(r.method, params)
	if err != nil {
		return decide.Intent{}, invalid("%v", err)
	}
	return decide.Intent{Command: id, Payload: payload, By: r.conn.party()}, nil
}

// command submits what a handler has read, or says why it cannot.
func (r *request) command(c decide.Command, e *wire.Error) {
	if e != nil {
		r.fail(e)
		return
	}
	r.submit(c, effect{})
}

// effect is what an accepted command does to its connection, before and after
// its ack is sent. It runs on the writer's goroutine, before the command's
// events; nil does nothing.
type effect struct{ before, after func(sequencer.Reply) }

// submit hands a command to the writer.
func (r *request) submit(c decide.Command, on effect) {
	r.conn.commandStarted()
	err := r.conn.srv.seq.Submit(c, func(reply sequencer.Reply) {
		if reply.Refusal != nil {
			r.fail(reply.Refusal)
		} else {
			if on.before != nil {
				on.before(reply)
			}
			r.answer(reply.Ack)
			if on.after != nil {
				on.after(reply)
			}
		}
		r.conn.commandEnded()
	})
	if err != nil {
		r.conn.commandEnded()
		r.fail(notTaken(err))
	}
}

func notTaken(err error) *wire.Error {
	if errors.Is(err, sequencer.ErrStopped) {
		return shuttingDown()
	}
	return wire.NewError(wire.CodeOverloaded, "The daemon has as many commands waiting as it can hold; retry with the same commandId.")
}

func shuttingDown() *wire.Error {
	return wire.NewError(wire.CodeShuttingDown, "The daemon is shutting down; what is pending stays pending. Connect again.")
}

func (c *conn) commandStarted() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.commands++
}

func (c *conn) commandEnded() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.commands--
	c.settled.Broadcast()
}

// invalid is the error of params that are wrong; the text names the member.
func invalid(format string, args ...any) *wire.Error {
	return wire.NewError(wire.CodeInvalidParams, fmt.Sprintf(format, args...))
}

// empty is the result {} of methods that have nothing to say.
var empty = json.RawMessage("{}")
