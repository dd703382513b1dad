package gate

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/approvald/approvald/internal/canon"
	"github.com/approvald/approvald/internal/hook/members"
	"github.com/approvald/approvald/wire"
)

// link is one connection to the daemon. Its calls are made one after another; several may be
// sent at once.
type link struct {
	conn    io.ReadWriteCloser
	in      *bufio.Reader
	calls   int
	answers map[string]members.Object // that came before they were waited for
	unhook  func() bool
}

// request is a call that is to be sent.
type request struct {
	method string
	params any
}

// lostError says that the connection was lost: another one may do.
type lostError struct{ cause error }

func (e *lostError) Error() string { return e.cause.Error() }
func (e *lostError) Unwrap() error { return e.cause }

func lost(err error) bool {
	_, ok := errors.AsType[*lostError](err)
	return ok
}

// newLink speaks over conn, which it closes when ctx ends.
func newLink(ctx context.Context, conn io.ReadWriteCloser) *link {
	l := &link{conn: conn, in: bufio.NewReaderSize(conn, 64<<10), answers: make(map[string]members.Object)}
	l.unhook = context.AfterFunc(ctx, func() { _ = conn.Close() })
	return l
}

func (l *link) close() {
	l.unhook()
	_ = l.conn.Close() // it may be closed already
}

// send writes the requests in one piece and returns their ids; a method that is a notification
// of the handshake has none.
func (l *link) send(requests ...request) ([]string, error) {
	var out bytes.Buffer
	ids := make([]string, len(requests))
	for i, r := range requests {
		var frame any
		if r.method == wire.MethodInitialized {
			frame = wire.Notification{JSONRPC: wire.Version, Method: r.method}
		} else {
			l.calls++
			ids[i] = strconv.Itoa(l.calls)
			frame = wire.Request{JSONRPC: wire.Version, ID: json.RawMessage(ids[i]), Method: r.method, Params: r.params}
		}
		line, err := wire.Marshal(frame)
		if err != nil {
			return nil, fmt.Errorf("%s: write the request down: %w", r.method, err)
		}
		if len(line) > wire.MaxFrame {
			return nil, fmt.Errorf("the call is too large to be asked about: its request has %d bytes, and %d is the most", len(line), wire.MaxFrame)
		}
		out.Write(line)
		out.WriteByte('\n')
	}
	if _, err := l.conn.Write(out.Bytes()); err != nil {
		return nil, &lostError{err}
	}
	return ids, nil
}

// receive waits for the answer to a request, and returns its result. A refusal is a *wire.Error.
func (l *link) receive(id string) (*members.Reader, error) {
	for {
		if answer, ok := l.answers[id]; ok {
			delete(l.answers, id)
			if refusal, refused := answer["error"]; refused {
				return nil, refusalOf(refusal)
			}
			result := members.ReaderOf(answer["result"])
			return result, unread(result.Err)
		}
		line, err := l.line()
		if err != nil {
			return nil, err
		}
		frame := members.ReaderOf(line)
		refusal, refused := frame.Object["error"]
		_, answered := frame.Object["result"]
		_, asked := frame.Object["method"]
		answers, named := frame.Object["id"]
		switch version := frame.Text("jsonrpc"); {
		case frame.Err != nil:
			return nil, unread(frame.Err)
		case version != wire.Version:
			return nil, errors.New("the daemon sent a frame that is not JSON-RPC 2.0")
		case asked: // what is told to everybody
			continue
		case refused == answered:
			return nil, errors.New("the daemon sent a frame that is neither a result nor an error")
		case !named && refused: // it could not read what was asked
			return nil, refusalOf(refusal)
		}
		if n, err := strconv.Atoi(string(answers)); err != nil || n < 1 || n > l.calls {
			return nil, errors.New("the daemon answered what was not asked")
		}
		l.answers[string(answers)] = frame.Object
	}
}

// unread is the error for what a daemon does not say.
func unread(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the daemon's answer could not be read: %w", err)
}

func refusalOf(text []byte) error {
	refusal := new(wire.Error)
	if err := canon.Unmarshal(text, refusal); err != nil {
		return unread(err)
	}
	return refusal
}

// line reads a frame, which is valid until the next one is read.
func (l *link) line() ([]byte, error) {
	var line []byte
	for {
		part, err := l.in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > wire.MaxFrame+len("\r\n"):
			return nil, fmt.Errorf("the daemon sent a frame of more than %d bytes", wire.MaxFrame)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return nil, &lostError{err}
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil
		}
	}
}

// call sends one request and waits for its result.
func (l *link) call(method string, params any) (*members.Reader, error) {
	ids, err := l.send(request{method, params})
	if err != nil {
		return nil, err
	}
	return l.receive(ids[0])
}
