package rpc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/wire"
)

var everyRole = []wire.Role{wire.RoleAgent, wire.RoleReviewer, wire.RoleBoth}

// Every method that a peer may call is open to the roles of the method table
// and to no other, and the role is checked before the params and before
// anything that would tell what exists (protocol §2).
func TestRolesAreThoseOfTheMethodTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		there := h.as(wire.RoleBoth).start()
		for _, role := range everyRole {
			c := h.as(role)
			for _, m := range wire.Methods {
				if m.Kind != wire.CommandMethod && m.Kind != wire.QueryMethod || m.Name == wire.MethodInitialize {
					continue
				}
				answers := map[string]string{}
				for _, session := range []string{there, numbered(1 << 40).String(), "no id"} {
					f := c.call(m.Name, inSession(session))
					answers[session] = f.raw[strings.Index(f.raw, ",")+1:]
					forbidden := f.Error != nil && f.Error.Code == wire.CodeRoleForbidden
					if forbidden == m.Allows(role) {
						t.Errorf("%s as %s: %s", m.Name, role, f.raw)
					}
					if forbidden && (f.Error.Data.Role != role || f.Error.Data.Method != m.Name) {
						t.Errorf("%s as %s: the error says %+v", m.Name, role, f.Error.Data)
					}
				}
				if first := answers[there]; !m.Allows(role) {
					for session, answer := range answers {
						if withoutID(answer) != withoutID(first) {
							t.Errorf("%s as %s: session %q is told apart: %s", m.Name, role, session, answer)
						}
					}
				}
			}
		}
	})
}

func withoutID(answer string) string { return answer[strings.Index(answer, `"error"`):] }

func TestMethodsThatAreNotServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		var names []string
		for _, m := range wire.Methods { // what the server sends is nothing to call
			if m.Kind == wire.NotificationMethod || m.Kind == wire.ServerRequestMethod {
				names = append(names, m.Name)
			}
		}
		names = append(names, "no/suchMethod", "model/list", "item/read", "session/fork", "account/read", "Session/List", " session/list", "initialized")
		for _, role := range everyRole {
			c := h.as(role)
			for _, name := range names {
				if e := c.refused(name, `{}`); e.Code != wire.CodeMethodNotFound || e.Data.Method != name {
					t.Errorf("%s as %s: %+v", name, role, e)
				}
			}
		}
	})
}

// Before the handshake is over nothing is served but initialize, and nothing
// is pushed.
func TestHandshake(t *testing.T) {
	const (
		hello       = `{"jsonrpc":"2.0","id":"h","method":"initialize","params":{"clientInfo":{"name":"a_1","version":"1"},"capabilities":{"approvald":{"allSessions":true}}}}`
		list        = `{"jsonrpc":"2.0","id":"l","method":"session/list"}`
		unknown     = `{"jsonrpc":"2.0","id":"u","method":"no/suchMethod"}`
		initialized = `{"jsonrpc":"2.0","method":"initialized"}`
	)
	cases := map[string]struct {
		lines []string
		want  []string // kind of each answer, or "result"
	}{
		"in order":                               {[]string{hello, initialized, list}, []string{"result", "result"}},
		"with params":                            {[]string{hello, `{"jsonrpc":"2.0","method":"initialized","params":{}}`, list}, []string{"result", "result"}},
		"with null params":                       {[]string{hello, `{"jsonrpc":"2.0","method":"initialized","params":null}`, list}, []string{"result", "result"}},
		"nothing before initialize":              {[]string{list, unknown}, []string{"notInitialized", "notInitialized"}},
		"nothing before initialized":             {[]string{hello, list, unknown}, []string{"result", "notInitialized", "notInitialized"}},
		"initialized alone does not help":        {[]string{initialized, list}, []string{"notInitialized"}},
		"initialize twice":                       {[]string{hello, hello, initialized, hello, list}, []string{"result", "alreadyInitialized", "alreadyInitialized", "result"}},
		"initialized twice":                      {[]string{hello, initialized, initialized, list}, []string{"result", "result"}},
		"a refused initialize may be sent again": {[]string{strings.Replace(hello, "a_1", "A-1", 1), hello, initialized, list}, []string{"invalidParams", "result", "result"}},
		"a client says its version":              {[]string{strings.Replace(hello, `,"version":"1"`, "", 1), hello, initialized, list}, []string{"invalidParams", "result", "result"}},
		"other notifications mean nothing":       {[]string{`{"jsonrpc":"2.0","method":"session/list"}`, `{"jsonrpc":"2.0","method":"x"}`, hello}, []string{"result"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHost(t)
				peer := h.connect("reviewer", wire.RoleReviewer)
				peer.write(c.lines...)
				h.settle()
				var got []string
				for _, f := range peer.all() {
					switch {
					case f.Error == nil:
						got = append(got, "result")
					default:
						got = append(got, string(f.Error.Data.Kind))
					}
				}
				if diff := gocmp.Diff(c.want, got); diff != "" {
					t.Errorf("answers (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// A connection may narrow what its transport is, and not widen it.
func TestRoleOfAConnection(t *testing.T) {
	transports := map[string]wire.Role{"agent": wire.RoleAgent, "reviewer": wire.RoleReviewer, "host": wire.RoleBoth, "stdio": wire.RoleBoth}
	for name, widest := range transports {
		for _, role := range append([]wire.Role{"", "admin"}, everyRole...) {
			t.Run(fmt.Sprintf("%s as %q", name, role), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c := newHost(t).connect(name, widest)
					f := c.call(wire.MethodInitialize, fmt.Sprintf(
						`{"clientInfo":{"name":"a","version":"1"},"capabilities":{"approvald":{"role":%q}}}`, role))
					may := role == "" || role == widest || widest == wire.RoleBoth && slices.Contains(everyRole, role)
					switch {
					case !may && (f.Error == nil || f.Error.Code != wire.CodeInvalidParams):
						t.Errorf("it was answered %s", f.raw)
					case may:
						var result wire.InitializeResult
						c.decode(f, &result)
						if want := cmp.Or(role, widest); result.Approvald.Role != want {
							t.Errorf("it got %s, want %s", result.Approvald.Role, want)
						}
					}
				})
			})
		}
	}
}

// An agent is told the same of a session that is not there and of one that is
// not its own, and neither lists nor is told of the latter (protocol §2).
func TestSessionsOfOthersDoNotExistForAnAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		agent, other := h.as(wire.RoleAgent), h.as(wire.RoleBoth)
		own := agent.start()
		theirs := other.start()
		approval := other.open(theirs)
		h.settle()
		nowhere := numbered(1 << 40).String()
		calls := map[string]func(session string) string{
			wire.MethodSessionResume:       func(s string) string { return inSession(s, fmt.Sprintf(`"commandId":%q`, command())) },
			wire.MethodSessionRead:         func(s string) string { return inSession(s) },
			wire.MethodSessionClose:        func(s string) string { return inSession(s, fmt.Sprintf(`"commandId":%q`, command())) },
			wire.MethodViewPage:            func(s string) string { return inSession(s, `"limit":1`) },
			wire.MethodViewSubscribe:       func(s string) string { return inSession(s) },
			wire.MethodViewUnsubscribe:     func(s string) string { return inSession(s) },
			wire.MethodApprovalListPending: func(s string) string { return inSession(s) },
			wire.MethodApprovalRead:        func(s string) string { return inSession(s, fmt.Sprintf(`"approvalId":%q`, approval)) },
			wire.MethodApprovalOpen:        func(s string) string { return openParams(s) },
			wire.MethodApprovalAwait:       func(s string) string { return inSession(s, fmt.Sprintf(`"approvalIds":[%q]`, approval)) },
			wire.MethodApprovalCancel:      func(s string) string { return inSession(s, fmt.Sprintf(`"commandId":%q,"all":true`, command())) },
		}
		for method, params := range calls {
			for _, session := range []string{theirs, nowhere} {
				e := agent.refused(method, params(session))
				if e.Code != wire.CodeSessionNotFound || e.Message != "There is no session "+session+"." || e.Data.SessionID != session {
					t.Errorf("%s of %s: %+v", method, session, e)
				}
			}
		}
		var list wire.SessionListResult
		agent.must(wire.MethodSessionList, `{}`, &list)
		if len(list.Sessions) != 1 || list.Sessions[0].SessionID != own {
			t.Errorf("listed: %+v", list.Sessions)
		}
		var pending wire.ApprovalListPendingResult
		agent.must(wire.MethodApprovalListPending, `{}`, &pending)
		if len(pending.Approvals) != 0 {
			t.Errorf("pending: %+v", pending.Approvals)
		}
		h.settle()
		for _, f := range agent.all() {
			if f.Method != "" && strings.Contains(f.raw, theirs) {
				t.Errorf("it was told %s", f.raw)
			}
		}
		if got := other.state(theirs, approval); got != "pending" {
			t.Errorf("the other's approval is %s", got)
		}
	})
}

// An agent takes up a session that an agent of its uid started, and no other.
func TestWhatAnAgentMayResume(t *testing.T) {
	me, another := 1000, 1001
	cases := map[string]struct {
		by   Transport
		role string
		want bool
	}{
		"an agent of the same uid":        {Transport{Name: "agent", Widest: wire.RoleAgent, Peer: Peer{UID: &me}}, "agent", true},
		"an agent of another uid":         {Transport{Name: "agent", Widest: wire.RoleAgent, Peer: Peer{UID: &another}}, "agent", false},
		"an agent whose uid is not known": {Transport{Name: "agent", Widest: wire.RoleAgent}, "agent", false},
		"a host in the role of an agent":  {Transport{Name: "host", Widest: wire.RoleBoth, Peer: Peer{UID: &me}}, "agent", true},
		"a host of the same uid":          {Transport{Name: "host", Widest: wire.RoleBoth, Peer: Peer{UID: &me}}, "both", false},
		"a reviewer of the same uid":      {Transport{Name: "reviewer", Widest: wire.RoleReviewer, Peer: Peer{UID: &me}}, "reviewer", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHost(t)
				join := func(tr Transport, role string) *client {
					p := h.serve(tr)
					peer := newClient(t, clientEnd{p})
					h.clients.Go(peer.read)
					peer.hello(fmt.Sprintf(`"role":%q`, role))
					return peer
				}
				session := join(c.by, c.role).start()
				agent := join(Transport{Name: "agent", Widest: wire.RoleAgent, Peer: Peer{UID: &me}}, "agent")
				f := agent.call(wire.MethodSessionResume, inSession(session, fmt.Sprintf(`"commandId":%q`, command())))
				if got := f.Error == nil; got != c.want {
					t.Fatalf("it was answered %s", f.raw)
				}
				if !c.want {
					return
				}
				if got := agent.state(session, agent.open(session)); got != "pending" {
					t.Errorf("what it opens there is %s", got)
				}
			})
		})
	}
}

// Whoever may not be here at all is answered -32090, whatever it asks.
func TestRefusedPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		p := h.serve(Transport{Name: "host", Widest: wire.RoleBoth, Refused: "You are an agent."})
		c := newClient(t, clientEnd{p})
		h.clients.Go(c.read)
		for _, method := range []string{wire.MethodInitialize, wire.MethodSessionList, wire.MethodApprovalDecide, "no/suchMethod"} {
			e := c.refused(method, `{"clientInfo":{"name":"a","version":"1"}}`)
			if e.Code != wire.CodeRoleForbidden || e.Message != "You are an agent." {
				t.Errorf("%s: %+v", method, e)
			}
		}
	})
}
