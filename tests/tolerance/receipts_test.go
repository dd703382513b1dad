package tolerance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/approvald/approvald/wire"
)

// receipts are what clients send for approval/request, whose id stands for $r: nothing of it is
// answered but what is no message, and nothing settles the approval.
var receipts = []promise{
	{"an empty result", `{"jsonrpc":"2.0","id":$r,"result":{}}`, ""},
	{"a result that is null", `{"jsonrpc":"2.0","id":$r,"result":null}`, ""},
	{"a result of any shape", `{"jsonrpc":"2.0","id":$r,"result":{"decision":"approved","choiceId":"allow_once"}}`, ""},
	{"a result that is a text", `{"jsonrpc":"2.0","id":$r,"result":"approved"}`, ""},
	{"a result with members that nobody knows", `{"future":1,"jsonrpc":"2.0","result":{},"id":$r,"params":[],"trace":{}}`, ""},
	{"an error", `{"jsonrpc":"2.0","id":$r,"error":{"code":-32601,"message":"no handler"}}`, ""},
	{"an error with data", `{"jsonrpc":"2.0","id":$r,"error":{"code":1,"message":"m","data":{"kind":"future","retryable":"perhaps"}}}`, ""},
	{"an error without anything", `{"jsonrpc":"2.0","id":$r,"error":{}}`, ""},
	{"an error with a code that is no number", `{"jsonrpc":"2.0","id":$r,"error":{"code":"no"}}`, ""},
	{"nothing at all", "", ""},
	{"twice", `{"jsonrpc":"2.0","id":$r,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":$r,"result":{}}`, ""},
	{"a result and then an error", `{"jsonrpc":"2.0","id":$r,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":$r,"error":{"code":1,"message":"m"}}`, ""},
	{"an error and then a result", `{"jsonrpc":"2.0","id":$r,"error":{"code":1,"message":"m"}}` + "\n" + `{"jsonrpc":"2.0","id":$r,"result":{}}`, ""},
	{"a question of the client's own under the same id", `{"jsonrpc":"2.0","id":$r,"method":"session/list"}` + "\n" + `{"jsonrpc":"2.0","id":$r,"result":{}}`, "$r result"},
	{"for an id as a text", `{"jsonrpc":"2.0","id":"$r","result":{}}`, ""},
	{"for an id that was never sent", `{"jsonrpc":"2.0","id":4711,"result":{}}`, ""},
	{"for an id that is negative", `{"jsonrpc":"2.0","id":-$r,"result":{}}`, ""},
	{"for an id of more than 64 bits", `{"jsonrpc":"2.0","id":$r00000000000000000000000000000,"result":{}}`, ""},
	{"an error for an id that was never sent", `{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}`, ""},
	{"an error to id null", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`, ""},
	{"with result and error is no message", `{"jsonrpc":"2.0","id":$r,"result":{},"error":{"code":1,"message":"m"}}`, noRequest},
	{"without an id is no message", `{"jsonrpc":"2.0","result":{}}`, noRequest},
	{"for an id with a fraction is no message", `{"jsonrpc":"2.0","id":$r.0,"result":{}}`, noRequest},
	{"an error that is no object is no message", `{"jsonrpc":"2.0","id":$r,"error":"no"}`, noRequest},
	{"in a batch is no message", `[{"jsonrpc":"2.0","id":$r,"result":{}}]`, noRequest},
}

func TestReceiptsOfReviewers(t *testing.T) {
	w := newPlace(t).start(t)
	for _, row := range receipts {
		t.Run(row.what, func(t *testing.T) {
			p := w.join(wire.RoleBoth)
			session := p.start()
			approval := p.open(session)
			id := string(p.event(wire.MethodApprovalRequest, about(approval)).ID)
			if row.send != "" {
				row.send = strings.ReplaceAll(row.send, "$r", id) + "\n"
			}
			row.want = strings.ReplaceAll(row.want, "$r", id)
			p.holds(row)
			if state := p.state(session, approval); state != "pending" {
				t.Fatalf("it settled the approval: it is %s", state)
			}
			p.must(wire.MethodApprovalDecide, deciding(session, approval, wire.ChoiceAllowOnce))
			if resolved := p.event(wire.MethodApprovalResolved, about(approval)); !strings.Contains(resolved.raw, `"outcome":"allowedOnce"`) {
				t.Errorf("afterwards it was decided, and resolved as %s", resolved.raw)
			}
		})
	}
}

// Under unattended "refuse" receipts matter a little: an error says that nobody is shown the request
// there, a result or silence that somebody may be.
func TestAnErrorForAReceiptTakesTheReviewerOut(t *testing.T) {
	for what, send := range map[string]string{"a result": `,"result":{"future":1}`, "silence": ""} {
		t.Run(what, func(t *testing.T) {
			w := newPlace(t).start(t)
			agent := w.join(wire.RoleBoth, `"interactive":false`)
			session := agent.start()
			shows, cannot := w.join(wire.RoleReviewer, `"allSessions":true`), w.join(wire.RoleReviewer, `"allSessions":true`)
			shows.answers() // it is subscribed
			cannot.answers()
			approval := agent.open(session, `"unattended":"refuse"`)
			receipt := func(p *peer, what string) {
				id := p.event(wire.MethodApprovalRequest, about(approval)).ID
				if what != "" {
					p.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s%s}`+"\n", id, what))
				}
				p.answers()
			}
			receipt(cannot, `,"error":{"code":-32601,"message":"no handler"}`)
			receipt(shows, send)
			agent.open(session) // behind whatever the receipts caused
			if state := agent.state(session, approval); state != "pending" {
				t.Fatalf("it is %s while somebody may be shown it", state)
			}
			shows.hangUp()
			agent.event(wire.MethodApprovalResolved, about(approval), `"outcome":"unavailable"`)
		})
	}
}
