package tolerance

import (
	"strings"
	"testing"

	"github.com/approvald/approvald/wire"
)

const (
	helloPlain = `{"jsonrpc":"2.0","id":"h","method":"initialize","params":{"clientInfo":{"name":"ide","version":"1"}}}` + "\n"

	notInitialized     = " -32600 notInitialized"
	alreadyInitialized = " -32600 alreadyInitialized"
	shaken             = `"h" result`
)

// helloWith is an initialize with these params.
func helloWith(params string) string {
	return `{"jsonrpc":"2.0","id":"h","method":"initialize","params":` + params + "}\n"
}

// handshakes are the promises about the beginning of a connection. Each row has one of its own.
var handshakes = []promise{
	{"in three writes or in one", helloPlain + initialized + ask(`"id":1`), shaken + "; " + fine},
	{"a request before initialize", ask(`"id":1`) + helloPlain + initialized + ask(`"id":2`), "1" + notInitialized + "; " + shaken + "; 2 result"},
	{"a command before initialize", `{"jsonrpc":"2.0","id":1,"method":"session/start","params":{}}` + "\n", "1" + notInitialized},
	{"an unknown method before initialize", `{"jsonrpc":"2.0","id":1,"method":"future/thing"}` + "\n", "1" + notInitialized},
	{"a request between initialize and initialized", helloPlain + ask(`"id":1`) + initialized + ask(`"id":2`), shaken + "; 1" + notInitialized + "; 2 result"},
	{"initialized is never sent", helloPlain + ask(`"id":1`) + ask(`"id":2`), shaken + "; 1" + notInitialized + "; 2" + notInitialized},
	{"initialized before initialize is passed over", initialized + ask(`"id":1`) + helloPlain + ask(`"id":2`), "1" + notInitialized + "; " + shaken + "; 2" + notInitialized},
	{"initialized twice is once", helloPlain + initialized + initialized + ask(`"id":1`), shaken + "; " + fine},
	{"initialized with params", helloPlain + `{"jsonrpc":"2.0","method":"initialized","params":{}}` + "\n" + ask(`"id":1`), shaken + "; " + fine},
	{"initialized with params that mean nothing", helloPlain + `{"jsonrpc":"2.0","method":"initialized","params":{"future":[1]},"trace":{}}` + "\n" + ask(`"id":1`), shaken + "; " + fine},
	{"initialized with params null", helloPlain + `{"jsonrpc":"2.0","method":"initialized","params":null}` + "\n" + ask(`"id":1`), shaken + "; " + fine},
	{"another protocol's initialized is none", helloPlain + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + ask(`"id":1`), shaken + "; 1" + notInitialized},
	{"initialize twice", helloPlain + initialized + helloPlain + ask(`"id":1`), shaken + `; "h"` + alreadyInitialized + "; " + fine},
	{"initialize twice before initialized", helloPlain + helloPlain + initialized + ask(`"id":1`), shaken + `; "h"` + alreadyInitialized + "; " + fine},
	{"a second initialize that is wrong is a second one all the same", helloPlain + helloWith(`{}`) + initialized, shaken + `; "h"` + alreadyInitialized},
	{"a refused initialize may be sent again", helloWith(`{"clientInfo":{"name":"My IDE","version":"1"}}`) + helloPlain + initialized + ask(`"id":1`), `"h" ` + refused + "; " + shaken + "; " + fine},
	{"initialize without params", `{"jsonrpc":"2.0","id":"h","method":"initialize"}` + "\n", `"h" ` + refused},
	{"initialize without a version", helloWith(`{"clientInfo":{"name":"ide"}}`), `"h" ` + refused},
	{"initialize with a name of capitals", helloWith(`{"clientInfo":{"name":"IDE","version":"1"}}`), `"h" ` + refused},
	{"initialize as a notification is passed over", `{"jsonrpc":"2.0","method":"initialize","params":{"clientInfo":{"name":"ide","version":"1"}}}` + "\n" + ask(`"id":1`), "1" + notInitialized},

	{"unknown members at every level", helloWith(`{"future":1,"clientInfo":{"name":"ide","version":"1","title":"An IDE","future":{}},"capabilities":{"future":[],"experimentalApi":true,"approvald":{"future":null}}}`) + initialized + ask(`"id":1`), shaken + "; " + fine},
	{"capabilities that nobody knows", helloWith(`{"clientInfo":{"name":"ide","version":"1"},"capabilities":{"requestedCapabilities":["userShell","future"]}}`) + initialized + ask(`"id":1`), shaken + "; " + fine},
	{"capabilities that are null", helloWith(`{"clientInfo":{"name":"ide","version":"1","title":null},"capabilities":null}`) + initialized + ask(`"id":1`), shaken + "; " + fine},
	{"members of capabilities that are null", helloWith(`{"clientInfo":{"name":"ide","version":"1"},"capabilities":{"optOutNotificationMethods":null,"requestedCapabilities":null,"userInputDialogs":null,"approvald":null}}`) + initialized + ask(`"id":1`), shaken + "; " + fine},
	{"opting out of what nobody knows", helloWith(`{"clientInfo":{"name":"ide","version":"1"},"capabilities":{"optOutNotificationMethods":["future/thing","","session/started","session/started"]}}`) + initialized + ask(`"id":1`), shaken + "; " + fine},
	{"a role that nobody knows is refused", helloWith(`{"clientInfo":{"name":"ide","version":"1"},"capabilities":{"approvald":{"role":"overseer"}}}`), `"h" ` + refused},
	{"a role in another case is refused", helloWith(`{"clientInfo":{"name":"ide","version":"1"},"capabilities":{"approvald":{"role":"Agent"}}}`), `"h" ` + refused},
	{"what is no message between the two is no matter", helloPlain + "{]\n" + initialized + ask(`"id":1`), "any order: " + shaken + "; " + parseError + "; " + fine},
	{"a receipt before anything was asked is no matter", `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n" + helloPlain + initialized + ask(`"id":1`), shaken + "; " + fine},
}

func TestHandshakesOfClients(t *testing.T) {
	w := newPlace(t).start(t)
	for _, row := range handshakes {
		t.Run(row.what, func(t *testing.T) {
			newPeer(t, w.pipe(wire.RoleBoth)).holds(row)
		})
	}
}

// Nothing is pushed before initialized, and what happened meanwhile is no secret afterwards.
func TestNothingIsPushedBeforeInitialized(t *testing.T) {
	w := newPlace(t).start(t)
	agent := w.join(wire.RoleBoth, `"interactive":false`)
	session := agent.start()
	p := newPeer(t, w.pipe(wire.RoleReviewer))
	p.must(wire.MethodInitialize, `{"clientInfo":{"name":"late","version":"1"},"capabilities":{"approvald":{"allSessions":true}}}`)
	approval := agent.open(session)
	if f := p.call(wire.MethodSessionList, `{}`); f.Error == nil {
		t.Errorf("answered %s", f.raw)
	}
	if len(p.kept) > 0 {
		t.Errorf("it was pushed %v", p.kept)
	}
	p.write(initialized)
	p.event(wire.MethodApprovalRequest, about(approval))
}

// What was opted out of is not sent, whatever else is; what is protected is sent all the same.
func TestWhatWasOptedOutOfIsNotSent(t *testing.T) {
	w := newPlace(t).start(t)
	p := newPeer(t, w.pipe(wire.RoleBoth))
	optional := []string{"session/started", "session/statusChanged", "session/approvalModeChanged", "approval/requested", "approval/updated"}
	p.must(wire.MethodInitialize, `{"clientInfo":{"name":"quiet","version":"1"},"capabilities":{"optOutNotificationMethods":["`+
		strings.Join(append(optional, "approval/resolved", "approval/request", "future/thing"), `","`)+`"]}}`)
	p.write(initialized)
	session := p.start()
	approval := p.open(session)
	p.event(wire.MethodApprovalRequest, about(approval))
	p.must(wire.MethodSessionSetApprovalMode, object(command(), in(session), `"mode":"denyUnmatched"`))
	p.must(wire.MethodApprovalDecide, deciding(session, approval, wire.ChoiceAbort))
	p.event(wire.MethodApprovalResolved, about(approval))
	p.must(wire.MethodSessionClose, object(command(), in(session)))
	p.event(wire.MethodSessionClosed)
	p.must(wire.MethodSessionList, `{}`)
	for _, f := range p.kept {
		t.Errorf("it was sent %s all the same", f.Method)
	}
}
