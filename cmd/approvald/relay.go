package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"

	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/wire"
)

// relayDrain bounds how long a relay that was told to end waits for what the
// daemon still owes its client.
const relayDrain = 5 * time.Second

// upstream is a relay's connection to the daemon that serves it.
type upstream struct {
	duplex
	from *bufio.Reader // what the daemon sends
	at   log.Holder    // the daemon
}

// duplex is a connection whose one half can be closed, as that of a socket.
type duplex interface {
	io.ReadWriteCloser
	CloseWrite() error
}

// errDraining says that a daemon took the connection and let it go unheard: it is
// ending, and somebody else may take its place.
var errDraining = errors.New("the daemon is ending")

// join connects to a daemon's host socket and has it bound the role of the
// connection, before a byte of the client's is passed on. That the daemon
// answers says that it serves the connection, and that it knows the bound.
func join(ctx context.Context, socket string, role wire.Role) (*upstream, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	conn, err := dialUnix(ctx, socket)
	if err != nil {
		return nil, err
	}
	to := &upstream{duplex: conn, from: bufio.NewReader(conn)}
	stop := context.AfterFunc(ctx, func() { _ = to.Close() })
	err = to.narrow(role)
	if !stop() {
		return nil, fmt.Errorf("the daemon does not answer on %s: %w", socket, ctx.Err())
	}
	if err != nil {
		return nil, errors.Join(err, to.Close())
	}
	return to, nil
}

func dialUnix(ctx context.Context, socket string) (*net.UnixConn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, err
	}
	unix, ok := conn.(*net.UnixConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("%s is no unix socket", socket), conn.Close())
	}
	return unix, nil
}

// narrow bounds the role of the connection.
func (to *upstream) narrow(role wire.Role) error {
	params, err := wire.Marshal(wire.ConnectionNarrowParams{Role: role})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(to, `{"jsonrpc":"2.0","id":"relay","method":%q,"params":%s}`+"\n", wire.MethodConnectionNarrow, params); err != nil {
		return errDraining
	}
	line, err := to.from.ReadSlice('\n')
	if err != nil {
		return errDraining
	}
	var answer struct {
		Result wire.ConnectionNarrowResult `json:"result"`
		Error  *wire.Error                 `json:"error"`
	}
	switch err := json.Unmarshal(line, &answer); {
	case err != nil:
		return fmt.Errorf("what answers on the socket is no approvald: %w", err)
	case answer.Error != nil:
		return answer.Error
	case answer.Result.Role != role:
		return fmt.Errorf("the daemon has not bounded the connection to the role %s: stop it, and start it from this version", role)
	}
	return nil
}

// relay passes on what the client sends and what the daemon answers, byte for
// byte and at the pace of whoever takes it: framing and its bounds are the
// daemon's. It returns when the client has been sent everything and is done, when
// it is gone, or when the daemon is, which is the error: nobody takes the daemon's
// place, since what the client knows of its connection ended with it.
func (to *upstream) relay(ctx context.Context, in io.Reader, out io.Writer) error {
	ended := make(chan struct{}) // the client's input
	go func() {
		defer close(ended)
		_, _ = io.Copy(to, in) // that it could not be sent, the other direction learns
	}()
	sink := &sink{Writer: out}
	received := make(chan struct{})
	go func() {
		defer close(received)
		_, _ = io.Copy(sink, to.from)
	}()
	var over <-chan time.Time // when nothing more is waited for
	inputEnded, told := ended, ctx.Done()
	done := false // the client is
	for {
		select {
		case <-inputEnded:
			inputEnded, done = nil, true
			_ = to.CloseWrite() // the daemon answers what it has, and lets go
		case <-told:
			told, done = nil, true
			_ = to.CloseWrite()
			over = time.After(relayDrain)
		case <-over:
			return nil
		case <-received:
			switch readsNoMore := errors.Is(sink.err, syscall.EPIPE); {
			case sink.err != nil && !readsNoMore:
				return fmt.Errorf("write to standard output: %w", sink.err)
			case readsNoMore || done:
				return nil
			}
			return exitf(exitNobody, "%s, whose clients this was one of, has ended or let go of the connection: start again", to.at)
		}
	}
}

// sink remembers that its writer failed.
type sink struct {
	io.Writer
	err error
}

func (s *sink) Write(p []byte) (n int, err error) {
	n, err = s.Writer.Write(p)
	s.err = err
	return n, err
}
