package client

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/approvald/approvald/wire"
)

func TestHandshakeSaysWhoTheClientIsAndWhatItWants(t *testing.T) {
	bubble(t, []string{`
		> {"jsonrpc":"2.0","id":"$h","method":"initialize","params":{"clientInfo":{"name":"my_client","version":"1.2"},"capabilities":{"optOutNotificationMethods":["approval/updated"],"userInputDialogs":false,"approvald":{"role":"reviewer","interactive":true,"allSessions":true}}}}
		< {"jsonrpc":"2.0","id":"$h","result":{"serverInfo":{"name":"approvald","version":"9"},"museHome":"/state","approvald":{"protocol":1,"role":"reviewer"}}}
		> {"jsonrpc":"2.0","method":"initialized"}
	`}, func(t *testing.T, dial Dialer) {
		c := connect(t, dial, Options{
			Name: "my_client", Version: "1.2", Role: wire.RoleReviewer, Interactive: true, AllSessions: true,
			OptOut: []string{wire.MethodApprovalUpdated}, OnRequest: func(wire.ApprovalRequest) {},
		})
		if s := c.Server(); s.MuseHome != "/state" || s.Approvald.Role != wire.RoleReviewer {
			t.Errorf("server: %+v", s)
		}
	})
}

func TestHandshakeDefaultsSayThatNobodyCanBeAsked(t *testing.T) {
	bubble(t, []string{`
		> {"jsonrpc":"2.0","id":"$h","method":"initialize","params":{"clientInfo":{"name":"approvald_go","version":"0"},"capabilities":{"userInputDialogs":false,"approvald":{"interactive":false}}}}
		< {"jsonrpc":"2.0","id":"$h","result":{}}
		> {"jsonrpc":"2.0","method":"initialized"}
	`}, func(t *testing.T, dial Dialer) { connect(t, dial, Options{}) })
}

func TestInteractiveNeedsAHandler(t *testing.T) {
	if _, err := Connect(t.Context(), nil, Options{Interactive: true}); err == nil {
		t.Error("an interactive client without OnRequest was made")
	}
}

func TestRefusedHandshakeIsReturned(t *testing.T) {
	bubble(t, []string{`
		> {"jsonrpc":"2.0","id":"$h","method":"initialize","params":"$hello"}
		< {"jsonrpc":"2.0","id":"$h","error":{"code":-32602,"message":"role","data":{"kind":"invalidParams","retryable":false}}}
	`}, func(t *testing.T, dial Dialer) {
		_, err := Connect(t.Context(), dial, Options{Role: wire.RoleBoth})
		if !wire.IsKind(err, wire.KindInvalidParams) {
			t.Errorf("got %v", err)
		}
	})
}

func TestFirstConnectionIsTriedOnce(t *testing.T) {
	bubble(t, []string{"refuse"}, func(t *testing.T, dial Dialer) {
		_, err := Connect(t.Context(), dial, Options{Reconnect: true})
		if err == nil || !strings.Contains(err.Error(), "connection refused") {
			t.Errorf("got %v", err)
		}
	})
}

func TestHandshakeEndsWithItsContext(t *testing.T) {
	bubble(t, []string{`> {"jsonrpc":"2.0","id":"$h","method":"initialize","params":"$hello"}`}, func(t *testing.T, dial Dialer) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := Connect(ctx, dial, Options{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

func TestNewTakesAPipeOverAndCannotReconnect(t *testing.T) {
	bubble(t, []string{hello, ""}, func(t *testing.T, dial Dialer) {
		rwc, err := dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		c, err := New(t.Context(), rwc, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		rwc, err = dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(t.Context(), rwc, Options{Reconnect: true}); err == nil {
			t.Error("New took Reconnect")
		}
	})
}

// The child of a pipe must see its end of input first, so that it drains.
func TestJoinClosesTheWritingEndFirst(t *testing.T) {
	var order []string
	rwc := Join(closer{func() { order = append(order, "read") }}, closer{func() { order = append(order, "write") }})
	if _, err := rwc.Write([]byte("x")); err != nil {
		t.Error(err)
	}
	if err := rwc.Close(); err != nil || strings.Join(order, " ") != "write read" {
		t.Errorf("closed %v, err %v", order, err)
	}
}

type closer struct{ closed func() }

func (c closer) Read([]byte) (int, error)    { return 0, io.EOF }
func (c closer) Write(p []byte) (int, error) { return len(p), nil }
func (c closer) Close() error                { c.closed(); return nil }

func TestCloseEndsCallsThatWait(t *testing.T) {
	for _, o := range []Options{{}, {Reconnect: true}} {
		bubble(t, []string{hello + `> {"jsonrpc":"2.0","id":"$1","method":"session/list","params":{}}`}, func(t *testing.T, dial Dialer) {
			c := connect(t, dial, o)
			ended := make(chan error)
			go func() {
				_, err := c.ListSessions(t.Context(), wire.SessionListParams{})
				ended <- err
			}()
			synctest.Wait()
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if err := <-ended; !errors.Is(err, ErrClosed) {
				t.Errorf("the call that waited: %v", err)
			}
			if _, err := c.ListSessions(t.Context(), wire.SessionListParams{}); !errors.Is(err, ErrClosed) {
				t.Errorf("a call after Close: %v", err)
			}
			if err := c.Close(); err != nil {
				t.Errorf("closing twice: %v", err)
			}
		})
	}
}
