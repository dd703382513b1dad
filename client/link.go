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
	var raw json.RawMessage
	if err := l.conn.Call(ctx, method, params, &raw, jsonrpc2.StringID()); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", method, context.Cause(ctx))
		}
		if l.client.ctx.Err() != nil {
			return fmt.Errorf("%s: %w", method, ErrClosed)
		}
		return callError(method, err, l.stream.cause())
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return fmt.Errorf("%s: the daemon's answer does not fit: %w", method, err)
	}
	return nil
}

// Handle takes a notification or request off the wire. It runs in the library's
// reader, so it must neither wait for a call nor write.
func (l *link) Handle(_ context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) {
	c, params := l.client, l.stream.last["params"]
	if !req.Notif {
		c.queue.push(task{size: len(params), run: func() { l.answer(conn, req, params) }})
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

// answer gives the receipt for a request, then hands it on. It runs in the
// dispatcher.
func (l *link) answer(conn *jsonrpc2.Conn, req *jsonrpc2.Request, params json.RawMessage) {
	c := l.client
	switch {
	case req.Method == wire.MethodApprovalRequest && c.opts.OnRequest != nil:
		show(c, conn, req, params, c.opts.OnRequest)
	case req.Method == wire.MethodUserInputRequest && c.opts.OnUserInput != nil:
		show(c, conn, req, params, c.opts.OnUserInput)
	default:
		c.logReply(conn.ReplyWithError(c.ctx, req.ID, &jsonrpc2.Error{
			Code:    jsonrpc2.CodeMethodNotFound,
			Message: fmt.Sprintf("this client does not handle %s", req.Method),
		}))
	}
}

// show gives the receipt for a request that can be read, and hands it to its handler.
func show[P any](c *Client, conn *jsonrpc2.Conn, req *jsonrpc2.Request, params json.RawMessage, handle func(P)) {
	var request P
	if err := json.Unmarshal(params, &request); err != nil {
		c.logReply(conn.ReplyWithError(c.ctx, req.ID, &jsonrpc2.Error{
			Code:    jsonrpc2.CodeInvalidParams,
			Message: err.Error(),
		}))
		return
	}
	c.logReply(conn.Reply(c.ctx, req.ID, wire.Empty{}))
	handle(request)
}

// logReply notes a receipt that could not be sent; the request comes again on
// the next connection.
func (c *Client) logReply(err error) {
	if err != nil {
		c.opts.Logger.Debug("a receipt was not sent", slog.Any("err", err))
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
