package client

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/wire"
)

const decideA1 = `{"commandId":"$c","sessionId":"s1","approvalId":"a1","requirementId":{"approvalId":"a1","sourceIndex":0},"choiceId":"abort"}`

func TestARequestGetsItsReceiptAndTheHandlerMayDecideAtOnce(t *testing.T) {
	bubble(t, []string{hello + `
		< {"jsonrpc":"2.0","id":17,"method":"approval/request","params":{"sessionId":"s1","approvalId":"a1","subject":{"z":"<&>","kind":"new"},"currentRequirementId":{"approvalId":"a1","sourceIndex":0}}}
		> {"jsonrpc":"2.0","id":17,"result":{}}
		> {"jsonrpc":"2.0","id":"$1","method":"approval/decide","params":` + decideA1 + `}
		< {"jsonrpc":"2.0","id":"$1","result":{"commandId":"$c","status":"accepted","approvalId":"a1","terminal":true}}`,
	}, func(t *testing.T, dial Dialer) {
		ack := make(chan wire.ApprovalDecideResult, 1)
		var c *Client
		ready := make(chan struct{})
		c = connect(t, dial, Options{Interactive: true, OnRequest: func(r wire.ApprovalRequest) {
			<-ready
			if got, want := string(r.Subject), `{"z":"<&>","kind":"new"}`; got != want {
				t.Errorf("subject %s, want the bytes as sent", got)
			}
			got, err := c.Decide(t.Context(), wire.ApprovalDecideParams{
				SessionID: r.SessionID, ApprovalID: r.ApprovalID, RequirementID: r.CurrentRequirementID, ChoiceID: wire.ChoiceAbort,
			})
			if err != nil {
				t.Error(err)
			}
			ack <- got
		}})
		close(ready)
		if !(<-ack).Terminal {
			t.Error("no ack")
		}
	})
}

// An error answer tells the daemon that nobody is shown the request (protocol §6).
func TestRequestsThatNobodyHandlesAreRefused(t *testing.T) {
	shown := Options{Interactive: true, OnRequest: func(wire.ApprovalRequest) {}}
	cases := []struct {
		name, method, params string
		o                    Options
		code                 string
	}{
		{"without a handler", "approval/request", `{}`, Options{}, `-32601`},
		{"an unknown method", "userInput/request", `{}`, shown, `-32601`},
		{"params that cannot be read", "approval/request", `{"sessionId":7}`, shown, `-32602`},
		{"no params", "approval/request", `null`, Options{}, `-32601`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, []string{hello + `
				< {"jsonrpc":"2.0","id":1,"method":"` + c.method + `","params":` + c.params + `}
				> {"jsonrpc":"2.0","id":1,"error":{"code":` + c.code + `,"message":"$m"}}`,
			}, func(t *testing.T, dial Dialer) {
				connect(t, dial, c.o)
				synctest.Wait()
			})
		})
	}
}

func TestNotificationsComeInOrderWithTheirBytesAndAlsoThoseBeforeTheEnd(t *testing.T) {
	bubble(t, []string{hello + `
		< {"jsonrpc":"2.0","method":"session/started","params":{"session":{"sessionId":"s1"}},"emittedAtMs":1767323045678}
		< {"jsonrpc":"2.0","method":"approval/resolved","params":{"viewCursor":"v1","sessionId":"s1","approvalId":"a<1"},"emittedAtMs":2}
		< {"jsonrpc":"2.0","method":"future/thing"}
		< {"jsonrpc":"2.0","method":"approval/resolved","params":[1]}
		< {"jsonrpc":"2.0","method":"approval/resolved","params":{"approvalId":"a2"}}
		close`,
	}, func(t *testing.T, dial Dialer) {
		release := make(chan struct{})
		var got []string
		connect(t, dial, Options{OnNotification: func(e Event) {
			<-release
			got = append(got, strings.TrimSpace(strings.Join([]string{e.Method, e.SessionID, e.Cursor, string(e.Params)}, " ")))
			if e.Method == wire.MethodSessionStarted && e.EmittedAtMs != 1767323045678 {
				t.Errorf("emitted at %d", e.EmittedAtMs)
			}
		}})
		synctest.Wait() // the connection is gone, and nothing was handled yet
		close(release)
		synctest.Wait()
		want := []string{
			`session/started s1  {"session":{"sessionId":"s1"}}`,
			`approval/resolved s1 v1 {"viewCursor":"v1","sessionId":"s1","approvalId":"a<1"}`,
			`future/thing`,
			`approval/resolved   {"approvalId":"a2"}`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestEventsDecodeIntoTheirWireStructs(t *testing.T) {
	e := Event{Method: wire.MethodApprovalResolved, Params: []byte(`{"approvalId":"a1","outcome":"rejected"}`)}
	got, err := e.Decode()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&wire.ApprovalResolved{ApprovalID: "a1", Outcome: wire.OutcomeRejected}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, bad := range []Event{{Method: "future/thing", Params: []byte(`{}`)}, {Method: wire.MethodApprovalResolved, Params: []byte(`7`)}} {
		if got, err := bad.Decode(); err == nil {
			t.Errorf("%s %s: got %v", bad.Method, bad.Params, got)
		}
	}
}
