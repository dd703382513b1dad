package rpc

import (
	"fmt"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// turn starts a turn and gives its id.
func (c *client) turn(session string) (id string) {
	c.t.Helper()
	var result wire.TurnStartResult
	c.must(wire.MethodTurnStart, turnParams(session), &result)
	return result.TurnID
}

func turnParams(session string) string {
	return inSession(session, fmt.Sprintf(`"commandId":%q,"input":[{"text":"go"}]`, command()))
}

// hosted connects a program that the daemon started for a session, before its handshake.
func (h *host) hosted(t *testing.T, session string, from uint64, pid int) *client {
	t.Helper()
	p := h.serve(Transport{
		Name: record.AgentCommand, Widest: wire.RoleAgent, Peer: Peer{PID: pid},
		Hosted: &Hosted{Session: mustID(t, session), From: from},
	})
	c := newClient(t, clientEnd{p})
	c.pipe = p
	h.clients.Go(c.read)
	return c
}

// leave ends a client's connection.
func leave(c *client) {
	c.t.Helper()
	if err := c.conn.Close(); err != nil {
		c.t.Error(err)
	}
}

// attachedTo is the client of the agent that is attached to a session; "" for nobody.
func (h *host) attachedTo(t *testing.T, session string) string {
	t.Helper()
	by := h.Agent(mustID(t, session))
	if by == nil {
		return ""
	}
	return by.Client + " on " + by.Transport
}

// Who carries out the turns of a session (protocol §4): of those who own it, said turns
// and hear of them, the newest.
func TestTheAttachedAgentIsTheNewestThatHearsOfTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		agent := func(name, capabilities string) *client {
			c := h.connect("agent", wire.RoleAgent)
			c.must(wire.MethodInitialize, `{"clientInfo":{"name":"`+name+`","version":"1"},"capabilities":`+capabilities+`}`, nil)
			c.write(initializedLine)
			return c
		}
		const turns = `{"approvald":{"turns":true}}`
		first := agent("first", turns)
		session := first.start()
		is := func(when, want string) {
			t.Helper()
			h.settle()
			if got := h.attachedTo(t, session); got != want {
				t.Errorf("%s: %q is attached, want %q", when, got, want)
			}
		}
		is("its starter", "first on agent")
		second := agent("second", turns)
		is("somebody who does not own it", "first on agent")
		resume(second, session)
		is("a newer one", "second on agent")
		resume(first, session)
		is("the older one once more", "second on agent")
		resume(agent("silent", `{}`), session)
		is("one that did not say turns", "second on agent")
		resume(agent("deaf", `{"optOutNotificationMethods":["turn/started"],"approvald":{"turns":true}}`), session)
		is("one that does not want to hear", "second on agent")
		host := h.connect("host", wire.RoleBoth)
		host.greet(turns)
		resume(host, session)
		is("a host, which may be both", "tester on host")
		host.must(wire.MethodViewUnsubscribe, inSession(session), nil)
		is("which looks on no more", "second on agent")
		program := h.hosted(t, session, 1, 0)
		is("a program before its handshake", "second on agent")
		program.hello()
		is("a program, which need not say turns", "tester on agent-cmd")
		leave(program)
		is("which has gone", "second on agent")
		leave(second)
		is("the first alone", "first on agent")
		leave(first)
		is("nobody", "")
	})
}

// An open turn keeps its session from being unloaded, also that of a child; without one
// the session goes.
func TestAnOpenTurnKeepsItsSessionLoaded(t *testing.T) {
	for name, below := range map[string]bool{"its own": false, "a child's": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHost(t, func(h *host, _ *Config) { h.idle = time.Second })
				agent := h.as(wire.RoleBoth, `"turns":true`)
				session := agent.start()
				in := session
				if below {
					in = agent.start(fmt.Sprintf(`"parentSessionId":%q`, session))
				}
				turn := agent.turn(in)
				for _, id := range []string{session, in} {
					agent.must(wire.MethodViewUnsubscribe, inSession(id), nil)
				}
				loaded := func() (loaded bool) {
					h.seq.View(func(state *fold.State) {
						root, _ := state.Session(mustID(t, session))
						loaded = root.Loaded()
					})
					return loaded
				}
				time.Sleep(10 * time.Second)
				h.settle()
				if !loaded() {
					t.Error("the session was unloaded, with an open turn")
				}
				agent.must(wire.MethodTurnComplete, inSession(in, fmt.Sprintf(`"commandId":%q,"turnId":%q,"terminal":"completed"`, command(), turn)), nil)
				time.Sleep(10 * time.Second)
				h.settle()
				if loaded() {
					t.Error("the session is loaded, without a turn")
				}
			})
		})
	}
}

// A start knows from headers which sessions are running: they are not told to be when
// nothing changes, and a list says so before they are loaded.
func TestAStartKnowsWhoIsRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		agent := h.as(wire.RoleBoth, `"turns":true`)
		session := agent.start()
		turn := agent.turn(session)
		h.close()

		next := newHostOver(t, h.log.Memory)
		looker := next.as(wire.RoleReviewer)
		var list wire.SessionListResult
		looker.must(wire.MethodSessionList, `{}`, &list)
		if len(list.Sessions) != 1 || list.Sessions[0].Status != wire.SessionRunning || list.Sessions[0].ActiveTurnID == nil || *list.Sessions[0].ActiveTurnID != turn {
			t.Errorf("the list says %+v", list.Sessions)
		}
		next.recover()
		resume(looker, session)
		next.settle()
		if n := looker.heard(wire.MethodSessionStatusChanged); n != 0 {
			t.Errorf("%d changes are told of, and nothing has changed", n)
		}
		looker.must(wire.MethodTurnInterrupt, inSession(session, fmt.Sprintf(`"commandId":%q,"turnId":%q`, command(), turn)), nil)
		next.settle()
		if n := looker.heard(wire.MethodSessionStatusChanged, `"status":"idle"`); n != 1 {
			t.Errorf("%d changes are told of when the turn ends", n)
		}
	})
}

// A program ends with its session, also where that closes before it has said a word.
func TestAProgramEndsWithItsSession(t *testing.T) {
	for name, c := range map[string]struct{ greets, late bool }{
		"at work": {true, false}, "without a word": {false, false}, "started for a closed session": {false, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHost(t)
				host := h.as(wire.RoleBoth)
				session := host.start()
				closing := inSession(session, fmt.Sprintf(`"commandId":%q`, command()))
				if c.late {
					host.must(wire.MethodSessionClose, closing, nil)
				}
				program := h.hosted(t, session, 1, 0)
				if c.greets {
					program.hello()
				}
				h.settle()
				if !c.late {
					host.must(wire.MethodSessionClose, closing, nil)
				}
				program.end()
				if n := program.heard(wire.MethodSessionClosed, session); (n == 1) != c.greets {
					t.Errorf("it was told %d times that its session closed", n)
				}
				h.settle()
				if n := h.Connections(); n != 1 {
					t.Errorf("there are %d connections, want the host's", n)
				}
			})
		})
	}
}

// Who waits for the last client to leave does not wait for a program of the daemon's own.
func TestAProgramIsNoClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		session := h.as(wire.RoleBoth).start()
		h.hosted(t, session, 1, 0).hello()
		h.settle()
		if n := h.Connections(); n != 1 {
			t.Errorf("there are %d connections, want 1", n)
		}
	})
}

// A program that the daemon has started is an agent's process: neither it nor what it
// starts is served as a reviewer, on whatever socket.
func TestAProgramIsNoReviewer(t *testing.T) {
	h := newHost(t)
	dir := h.listen()
	session := h.as(wire.RoleBoth).start()
	program := h.hosted(t, session, 1, os.Getpid())
	program.hello()
	program.must(wire.MethodSessionList, `{}`, nil)
	for name, want := range map[string]string{
		"reviewer": "roleForbidden roleForbidden", "host": "roleForbidden roleForbidden", "agent": "served served",
	} {
		if got := ask(SocketPath(dir, name)); got != want {
			t.Errorf("on the socket %s: %q, want %q", name, got, want)
		}
	}
}
