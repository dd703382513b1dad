package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/approvald/approvald/wire"
)

// source is a transport that yields fixed bytes and counts what was taken.
type source struct {
	io.Reader
	out    bytes.Buffer
	failAt int // Write fails from this many bytes on; 0 never
	closed bool
}

func (s *source) Write(p []byte) (int, error) {
	if s.failAt > 0 && s.out.Len()+len(p) > s.failAt {
		return 0, errors.New("broken pipe")
	}
	return s.out.Write(p)
}

func (s *source) Close() error { s.closed = true; return nil }

func TestFramesThatAreNoMessagesEndTheConnection(t *testing.T) {
	cases := []struct{ name, frame, want string }{
		{"an array", `[{"jsonrpc":"2.0","id":"0","result":{}}]`, "no JSON object"},
		{"a scalar", `7`, "no JSON object"},
		{"no JSON", `{"jsonrpc":"2.0"`, "no JSON-RPC message"},
		{"two objects", `{"jsonrpc":"2.0","id":"0","result":{}}{}`, "no JSON-RPC message"},
		{"another version", `{"jsonrpc":"1.0","id":"0","result":{}}`, "not JSON-RPC 2.0"},
		{"no version", `{"id":"0","result":{}}`, "not JSON-RPC 2.0"},
		{"the version by another name", `{"JSONRPC":"2.0","id":"0","result":{}}`, "not JSON-RPC 2.0"},
		{"neither request nor response", `{"jsonrpc":"2.0","id":"0"}`, "neither request nor response"},
		{"an error about a frame of ours", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`, "could not read a frame of this client"},
		{"a long one is cut in the message", `[` + strings.Repeat("1", 1000), "…"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, []string{hello + `
				> {"jsonrpc":"2.0","id":"$1","method":"session/read","params":{"sessionId":"s1"}}
				< ` + c.frame}, func(t *testing.T, dial Dialer) {
				_, err := connect(t, dial, Options{}).ReadSession(t.Context(), "s1")
				if !errors.Is(err, ErrConnectionLost) || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 400 {
					t.Errorf("got %v, want a lost connection and %q", err, c.want)
				}
			})
		})
	}
}

func TestEmptyLinesAndCarriageReturnsAreIgnored(t *testing.T) {
	s := newStream(&source{Reader: strings.NewReader("\n\r\n  \n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}\r\n")})
	if err := s.ReadObject(new(any)); err != nil || string(s.last["id"]) != "1" {
		t.Errorf("got %s, %v", s.last, err)
	}
	if err := s.ReadObject(new(any)); !errors.Is(err, io.EOF) || !errors.Is(s.cause(), io.EOF) {
		t.Errorf("got %v, cause %v, want EOF", err, s.cause())
	}
}

func TestAnEndWithinAFrameIsNoOrdinaryEnd(t *testing.T) {
	s := newStream(&source{Reader: strings.NewReader(`{"jsonrpc":"2.0","id":1}`)})
	if err := s.ReadObject(new(any)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v", err)
	}
}

// zeros is an endless frame.
type zeros struct{ taken int }

func (z *zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	z.taken += len(p)
	return len(p), nil
}

func TestAnEndlessFrameIsGivenUpAtTheCap(t *testing.T) {
	var endless zeros
	s := newStream(&source{Reader: &endless})
	if err := s.ReadObject(new(any)); !errors.Is(err, ErrFrameTooLarge) || !strings.Contains(err.Error(), "10485760") {
		t.Errorf("got %v", err)
	}
	if most := wire.MaxFrame + 256<<10; endless.taken > most {
		t.Errorf("%d bytes were taken, want at most %d", endless.taken, most)
	}
}

func TestAFrameOfExactlyTheCapIsRead(t *testing.T) {
	const head, tail = `{"jsonrpc":"2.0","method":"m","id":"`, `"}`
	frame := head + strings.Repeat("x", wire.MaxFrame-len(head)-len(tail)) + tail
	s := newStream(&source{Reader: strings.NewReader(frame + "\r\n")})
	if err := s.ReadObject(new(any)); err != nil {
		t.Error(err)
	}
}

func TestAFailedWriteClosesTheTransport(t *testing.T) {
	src := &source{Reader: strings.NewReader(""), failAt: 1}
	if err := newStream(src).WriteObject(wire.Empty{}); err == nil || !src.closed {
		t.Errorf("got %v, closed %v", err, src.closed)
	}
}

func TestAPeerThatNeverReadsIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		began := time.Now()
		_, err := New(t.Context(), near, Options{}) // nobody reads the hello
		if !errors.Is(err, ErrConnectionLost) || time.Since(began) != writeTimeout {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		if err := far.Close(); err != nil {
			t.Error(err)
		}
	})
}

// The reader must neither panic nor take what is no message for one.
func FuzzStreamReadsHostileBytes(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "{}\n", `{"jsonrpc":"2.0","id":1,"method":"m"}` + "\n", `{"jsonrpc":"2.0","id":null,"error":{}}` + "\n",
		`{"jsonrpc":"2.0","method":"m","params":{"a":"\u0026"},"emittedAtMs":1}` + "\r\n", "[1]\n", "{\"jsonrpc\":\"2.0\"}\n\xff\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := newStream(&source{Reader: bytes.NewReader(data)})
		for {
			var v map[string]json.RawMessage
			err := s.ReadObject(&v)
			if err != nil {
				if !errors.Is(s.cause(), err) {
					t.Errorf("the cause is %v, want %v", s.cause(), err)
				}
				return
			}
			if s.last.text("jsonrpc") != wire.Version || (v["method"] == nil) == (v["result"] == nil) {
				t.Errorf("the library was shown %s of %q", v, data)
			}
		}
	})
}
