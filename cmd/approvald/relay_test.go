package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/wire"
)

// halves is one end of a connection in memory, in which each write waits for the
// other end to read it.
type halves struct {
	*io.PipeReader
	*io.PipeWriter
}

func (h halves) CloseWrite() error { return h.PipeWriter.Close() }
func (h halves) Close() error      { return errors.Join(h.PipeReader.Close(), h.PipeWriter.Close()) }

// connected is a relay's connection and the daemon's end of it.
func connected() (to *upstream, daemon halves) {
	up, down := &halves{}, &daemon
	up.PipeReader, down.PipeWriter = io.Pipe()
	down.PipeReader, up.PipeWriter = io.Pipe()
	return &upstream{duplex: up, from: bufio.NewReader(up), at: log.Holder{PID: 42}}, daemon
}

// Whatever a client and a daemon say reaches the other side as it was written,
// also what is no frame.
func TestRelayPassesOnByteForByte(t *testing.T) {
	to, daemon := connected()
	said := make([]byte, 11<<20)                   // more than a frame may have: the daemon says so, not the relay
	_, _ = rand.NewChaCha8([32]byte{1}).Read(said) // never fails
	heard := make(chan []byte)
	go func() {
		all, _ := io.ReadAll(daemon) // to the end of the client's half
		heard <- all
		_, _ = daemon.Write(all)
		_ = daemon.Close()
	}()
	var answer bytes.Buffer
	done := make(chan error)
	go func() { done <- to.relay(t.Context(), bytes.NewReader(said), &answer) }()
	if !bytes.Equal(<-heard, said) {
		t.Error("the daemon hears something else than the client said")
	}
	if err := <-done; err != nil {
		t.Errorf("relay: %v", err)
	}
	if !bytes.Equal(answer.Bytes(), said) {
		t.Error("the client hears something else than the daemon said")
	}
}

// endless has as much to say as anybody takes, and counts it.
type endless struct{ taken int }

func (e *endless) Read(p []byte) (int, error) {
	e.taken += len(p)
	return len(p), nil
}

// Who reads slowly is written to slowly, in both directions: what a relay holds
// is a buffer and no more.
func TestRelayHoldsNoMoreThanABuffer(t *testing.T) {
	const most = 64 << 10
	synctest.Test(t, func(t *testing.T) {
		to, daemon := connected()
		var client, server endless
		out, unread := io.Pipe()
		defer out.Close()
		done := make(chan error)
		go func() { done <- to.relay(t.Context(), &client, unread) }()
		go func() { _, _ = io.Copy(daemon.PipeWriter, &server) }()
		synctest.Wait() // nobody reads at either end
		if client.taken == 0 || client.taken > most || server.taken == 0 || server.taken > most {
			t.Errorf("%d bytes of the client's and %d of the daemon's were taken, want at most %d each", client.taken, server.taken, most)
		}
		_ = daemon.Close()
		_ = out.Close()
		if err := <-done; err == nil {
			t.Error("the daemon is gone, and nobody says so")
		}
	})
}

func TestRelayEndsAsItsClientOrItsDaemonDoes(t *testing.T) {
	for name, c := range map[string]struct {
		inputEnds bool
		out       io.Writer
		then      func(daemon halves, cancel func())
		want      string // of the error; "" for none
	}{
		"the client's input ends": {
			inputEnds: true, out: io.Discard,
			then: func(daemon halves, _ func()) { _, _ = io.ReadAll(daemon); _ = daemon.Close() },
		},
		"the daemon ends": {
			out:  io.Discard,
			then: func(daemon halves, _ func()) { _ = daemon.Close() },
			want: "process 42",
		},
		"the daemon breaks off": {
			out:  io.Discard,
			then: func(daemon halves, _ func()) { _ = daemon.PipeWriter.CloseWithError(syscall.ECONNRESET) },
			want: "process 42",
		},
		"the client reads no more": {
			out:  failing{syscall.EPIPE},
			then: func(daemon halves, _ func()) { _, _ = daemon.Write([]byte("x")) },
		},
		"the client's file is full": {
			out:  failing{syscall.ENOSPC},
			then: func(daemon halves, _ func()) { _, _ = daemon.Write([]byte("x")) },
			want: "no space left",
		},
		"it is told to end": {
			out:  io.Discard,
			then: func(daemon halves, cancel func()) { cancel(); _, _ = io.ReadAll(daemon); _ = daemon.Close() },
		},
		"it is told to end, and the daemon does not let go": {
			out:  io.Discard,
			then: func(_ halves, cancel func()) { cancel() },
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				to, daemon := connected()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				in, client := io.Pipe()
				defer client.Close()
				if c.inputEnds {
					_ = client.Close()
				}
				done := make(chan error)
				go func() { done <- to.relay(ctx, in, c.out) }()
				go c.then(daemon, cancel)
				err := <-done
				if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
					t.Errorf("relay: %v, want %q", err, c.want)
				}
				_ = to.Close()
				_ = daemon.Close()
			})
		})
	}
}

// failing is a file that cannot be written.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// The client's first byte waits until the daemon has bounded the connection, and
// is not sent to one that does not know how to.
func TestJoiningNeedsTheBound(t *testing.T) {
	for name, c := range map[string]struct{ answer, want string }{
		"bounded":               {`{"jsonrpc":"2.0","id":"relay","result":{"role":"agent"}}`, ""},
		"not known":             {`{"jsonrpc":"2.0","id":"relay","error":{"code":-32600,"message":"not initialized","data":{"kind":"notInitialized","retryable":false}}}`, "not initialized"},
		"something else":        {`{"jsonrpc":"2.0","id":"relay","result":{}}`, "has not bounded"},
		"another role":          {`{"jsonrpc":"2.0","id":"relay","result":{"role":"both"}}`, "has not bounded"},
		"no approvald":          {"SSH-2.0-nobody", "no approvald"},
		"ended before it spoke": {"", "is ending"},
	} {
		t.Run(name, func(t *testing.T) {
			to, daemon := connected()
			go func() {
				asked, _ := bufio.NewReader(daemon).ReadString('\n')
				if want := `{"jsonrpc":"2.0","id":"relay","method":"connection/narrow","params":{"role":"agent"}}` + "\n"; asked != want {
					t.Errorf("it was asked %s", asked)
				}
				if c.answer != "" {
					_, _ = io.WriteString(daemon, c.answer+"\n")
				}
				_ = daemon.Close()
			}()
			err := to.narrow(wire.RoleAgent)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("narrow: %v, want %q", err, c.want)
			}
		})
	}
}
