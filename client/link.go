package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/approvald/approvald/wire"
)

// link is one connection after its handshake. A client has at most one.
type link struct {
	client *Client
	stream *stream
	conn   *jsonrpc2.Conn
	server wire.InitializeResult
}

// shakeHands takes rwc over and does the handshake of protocol §2, bounded by
// ctx. The link lives until it breaks, is closed, or the client ends.
func (c *Client) shakeHands(ctx context.Context, rwc io.ReadWriteCloser) (*link, error) {
	l := &link{client: c, stream: newStream(rwc)}
	l.conn = jsonrpc2.NewConn(c.ctx, l.stream, l, jsonrpc2.SetLogger(libraryLog{c.opts.Logger}))
	err := l.call(ctx, wire.MethodInitialize, c.opts.hello(), &l.server)
	if err == nil {
		err = l.conn.Notify(ctx, wire.MethodInitialized, nil)
	}
	if err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// call sends one request and decodes its result, which may be nil to ignore it.
// Ids are strings, because the library reads the id null as the number 0. A call
// whose ctx ends stays registered with the library until its answer comes.
func (l *link) call(ctx context.Context, method string, params, result any) error {
	l.client.queue.callStarted()
	defer l.client.queue.callEnded()
	var answer string
	if err := l.conn.Call(ctx, method, params, &answer, jsonrpc2.StringID()); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", method, context.Cause(ctx))
		}
		if l.client.ctx.Err() != nil {
			return fmt.Errorf("%s: %w", method, ErrClosed)
		}
		return callError(method, err, l.stream.cause())
	}
	return readAnswer(method, answer, result)
}

// Handle takes a notification or request off the wire. It runs in the library's
// reader, so it must neither wait for a call nor write.
func (l *link) Handle(_ context.Context, _ *jsonrpc2.Conn, req *jsonrpc2.Request) {
	c, params := l.client, l.stream.last["params"]
	if !req.Notif {
		asked := question{l, l.stream.last["id"], req.Method, params}
		c.queue.push(task{size: len(params), run: asked.answer})
		return
	}
	event, err := newEvent(req.Method, params, l.stream.last.emittedAtMs())
	if err != nil {
		c.opts.Logger.Warn("dropped a notification that cannot be read", slog.Any("err", err))
		return
	}
	if event.durable() {
		c.publish(event)
	}
	if c.opts.OnNotification != nil {
		c.queue.push(task{size: len(params), run: func() { c.opts.OnNotification(event) }})
	}
	c.noteTurn(event)
}

// question is a request of the daemon. Its id goes back as it came.
type question struct {
	link   *link
	id     json.RawMessage
	method string
	params json.RawMessage
}

// answer gives the receipt, then hands the question on. It runs in the
// dispatcher.
func (q question) answer() {
	o := q.link.client.opts
	switch {
	case q.method == wire.MethodApprovalRequest && o.OnRequest != nil:
		show(q, o.OnRequest)
	case q.method == wire.MethodUserInputRequest && o.OnUserInput != nil:
		show(q, o.OnUserInput)
	default:
		q.refuse(wire.CodeMethodNotFound, fmt.Sprintf("this client does not handle %s", q.method))
	}
}

// show gives the receipt for a request that can be read, and hands it to its handler.
func show[P any](q question, handle func(P)) {
	var request P
	if err := decode(q.params, &request); err != nil {
		q.refuse(wire.CodeInvalidParams, err.Error())
		return
	}
	q.reply(wire.Response{JSONRPC: wire.Version, ID: q.id, Result: wire.Empty{}})
	handle(request)
}

// refuse gives a receipt that says that nobody is shown the request.
func (q question) refuse(code int, why string) {
	q.reply(receiptError{JSONRPC: wire.Version, ID: q.id, Error: refusedReceipt{code, why}})
}

// receiptError is a receipt that is an error. Its data would be the daemon's,
// not this client's.
type receiptError struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   refusedReceipt  `json:"error"`
}

type refusedReceipt struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// reply sends a receipt and notes one that could not be sent: the request comes
// again on the next connection.
func (q question) reply(receipt any) {
	if err := q.link.stream.WriteObject(receipt); err != nil {
		q.link.client.opts.Logger.Debug("a receipt was not sent", slog.Any("err", err))
	}
}

// close ends the connection and returns when its reader has stopped.
func (l *link) close() {
	// The only error is that the library has closed it already.
	_ = l.conn.Close()
	<-l.stream.ended
}

// libraryLog hands the library's few messages to the client's logger.
type libraryLog struct{ log *slog.Logger }

func (l libraryLog) Printf(format string, args ...any) {
	l.log.Debug("jsonrpc2", slog.String("message", fmt.Sprintf(format, args...)))
}
