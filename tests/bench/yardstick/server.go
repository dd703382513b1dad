package yardstick

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/approvald/approvald/wire"
)

// EchoParams is what the servers of this package decode the params of a request into. They answer
// {} whatever it says.
type EchoParams struct {
	SessionID string `json:"sessionId"`
}

// ServeLean answers requests with the least that JSON-RPC over lines can do in Go without giving
// up encoding/json: one loop, one decode of the envelope and one of the params, answers that leave
// together when no request is left to read. It believes its peer, which no daemon may.
func ServeLean(conn net.Conn) error {
	in, out := bufio.NewReaderSize(conn, 64<<10), bufio.NewWriterSize(conn, 64<<10)
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return end(err)
		}
		var request struct {
			JSONRPC string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Method  string          `json:"method"`
			Params  json.RawMessage `json:"params"`
		}
		if err := json.Unmarshal(line, &request); err != nil {
			return err
		}
		var params EchoParams
		if err := json.Unmarshal(request.Params, &params); err != nil {
			return err
		}
		answer := append(out.AvailableBuffer(), `{"jsonrpc":"2.0","id":`...)
		answer = append(answer, request.ID...)
		answer = append(answer, `,"result":{}}`+"\n"...)
		if _, err := out.Write(answer); err != nil {
			return err
		}
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
}

// ServeAnswers answers each line that it reads with the next of these, in turn: the least that
// moving their bytes takes.
func ServeAnswers(conn net.Conn, answers [][]byte) error {
	in := bufio.NewReaderSize(conn, 64<<10)
	for i := 0; ; i++ {
		if _, err := in.ReadSlice('\n'); err != nil {
			return end(err)
		}
		if _, err := conn.Write(answers[i%len(answers)]); err != nil {
			return err
		}
	}
}

// ServeLibrary answers requests the way github.com/sourcegraph/jsonrpc2 does it with a handler
// that is called on the reader's goroutine.
func ServeLibrary(conn net.Conn) error {
	handler := jsonrpc2.HandlerWithError(func(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) (any, error) {
		var params EchoParams
		if err := json.Unmarshal(*r.Params, &params); err != nil {
			return nil, err
		}
		return wire.Empty{}, nil
	})
	<-jsonrpc2.NewConn(context.Background(), jsonrpc2.NewPlainObjectStream(conn), handler).DisconnectNotify()
	return nil
}

// end is the error of a loop that read to the end: none if the peer just went.
func end(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
