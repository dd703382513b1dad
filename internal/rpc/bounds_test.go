package rpc

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/approvald/approvald/wire"
)

// only is the one connection of a host.
func (h *host) only() *conn {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.conns) != 1 {
		h.t.Fatalf("%d connections", len(h.conns))
	}
	for c := range h.conns {
		return c
	}
	return nil
}

func wantOverloaded(t *testing.T, f received) {
	t.Helper()
	if f.Error == nil || f.Error.Code != wire.CodeOverloaded || !f.Error.Data.Retryable {
		t.Errorf("it was answered %.300s, want a retryable %d", f.raw, wire.CodeOverloaded)
	}
}

// 64 requests are in work, 1,024 wait, one is between, and what comes beyond
// is refused at once while those go on (protocol §1).
func TestRequestsInWorkAndInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const beyond = 7
		h := newHost(t)
		c := h.as(wire.RoleBoth)
		session := c.start()
		h.settle()
		h.log.gate.close()
		h.log.groups = nil
		var ids, lines []string
		for n := range maxInWork + 1 + queueFrames + beyond {
			id, line := c.line(wire.MethodApprovalOpen, strings.Replace(openParams(session), `"call"`, fmt.Sprintf(`"call-%d"`, n), 1))
			ids, lines = append(ids, id), append(lines, line)
		}
		c.write(lines[:maxInWork+1]...)
		h.settle()
		c.write(lines[maxInWork+1:]...)
		h.settle()
		refused := ids[len(ids)-beyond:]
		for _, id := range refused {
			wantOverloaded(t, c.answer(id))
		}
		if n := h.only().inWork; n != maxInWork {
			t.Errorf("%d requests are in work, want %d", n, maxInWork)
		}
		h.log.gate.open()
		for n, id := range ids[:len(ids)-beyond] {
			var result wire.ApprovalOpenResult
			c.decode(c.answer(id), &result)
			if want := fmt.Sprintf("call-%d", n); result.ToolCallID != want {
				t.Fatalf("request %s was answered for %s, want %s", id, result.ToolCallID, want)
			}
		}
		h.settle()
		for n, e := range c.page(session, 1000) {
			if !strings.Contains(string(e.Params), fmt.Sprintf(`"toolCallId":"call-%d"`, n)) {
				t.Fatalf("opening %d is %s: commands were not admitted in the order sent", n, e.Params)
			}
		}
		for _, size := range h.log.groups {
			if size > maxInWork {
				t.Errorf("a group has %d commands of one connection", size)
			}
		}
	})
}

// What waits may hold 16 MiB together.
func TestBytesInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const frame, fit, beyond = 1 << 20, queueBytes >> 20, 3
		h := newHost(t)
		c := h.as(wire.RoleBoth)
		session := c.start()
		h.log.gate.close()
		c.send(wire.MethodApprovalOpen, openParams(session))
		c.send(wire.MethodSessionList, `{}`) // waits for the command before it
		h.settle()
		var ids []string
		for range fit + beyond {
			id, line := c.line(wire.MethodSessionList, `{"pad":"X"}`)
			c.write(strings.Replace(line, "X", strings.Repeat("x", frame-len(line)+1), 1))
			ids = append(ids, id)
		}
		h.settle()
		for _, id := range ids[fit:] {
			wantOverloaded(t, c.answer(id))
		}
		h.log.gate.open()
		for _, id := range ids[:fit] {
			c.decode(c.answer(id), nil)
		}
	})
}

// Parked awaits are not in work, and there may be 10,000.
func TestParkedAwaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		c := h.as(wire.RoleBoth)
		session := c.start()
		id := c.open(session)
		await := inSession(session, fmt.Sprintf(`"approvalIds":[%q]`, id))
		var parked []string
		for len(parked) < maxAwaits {
			var lines []string
			for range 1000 {
				id, line := c.line(wire.MethodApprovalAwait, await)
				parked, lines = append(parked, id), append(lines, line)
			}
			c.write(lines...)
			h.settle()
		}
		wantOverloaded(t, c.call(wire.MethodApprovalAwait, await))
		c.must(wire.MethodApprovalAwait, inSession(session, fmt.Sprintf(`"approvalIds":[%q],"waitMs":0`, id)), nil)
		h.settle() // an answer is on its way before its request is out of work
		if n := h.only().inWorkNow(); n != 0 {
			t.Errorf("%d requests are in work", n)
		}
		c.choose(session, id, wire.ChoiceAllowOnce)
		h.settle()
		answered := map[string]bool{}
		for _, f := range c.all() {
			if f.Method == "" && f.Error == nil && strings.Contains(f.raw, `"state":"resolved"`) {
				answered[string(f.ID)] = true
			}
		}
		for _, id := range parked {
			if !answered[id] {
				t.Fatalf("await %s was not answered", id)
			}
		}
		if n := len(h.only().awaits); n != 0 {
			t.Errorf("%d awaits are still parked", n)
		}
		c.must(wire.MethodApprovalAwait, await, nil) // there is room again
	})
}

// While more than 4 MiB of answers are unread, no further request is started.
func TestUnreadAnswersStartNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		c := h.as(wire.RoleBoth, `"interactive":false`)
		session := c.start()
		big := strings.Replace(openParams(session), `"{}"`, `"\"`+strings.Repeat("a", maxRawArgs-2)+`\""`, 1)
		c.must(wire.MethodApprovalOpen, big, nil)
		answer := len(c.call(wire.MethodApprovalListPending, `{}`).raw)
		h.settle()
		c.pipe.deafen()
		var ids []string
		for range 6 {
			ids = append(ids, c.send(wire.MethodApprovalListPending, `{}`))
		}
		h.settle()
		if owed := h.only().out.owed(); owed <= startBelow-answer || owed > startBelow+answer {
			t.Errorf("%d bytes of answers are unread, with answers of %d; want about %d", owed, answer, startBelow)
		}
		c.pipe.listen()
		for _, id := range ids {
			c.decode(c.answer(id), nil)
		}
	})
}

// Beyond 16 MiB of unread answers the connection is not read.
func TestUnreadAnswersStopTheReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const frames = 4500
		h := newHost(t)
		c := h.as(wire.RoleBoth)
		h.settle()
		c.pipe.deafen()
		pad := strings.Repeat("x", 4000)
		var lines []string
		for n := range frames {
			lines = append(lines, fmt.Sprintf(`{"id":"%d-%s","method":"session/list"}`, n, pad)) // no jsonrpc: answered by the reader
		}
		before := len(c.all())
		c.write(lines...)
		h.settle()
		if owed := h.only().out.owed(); owed <= readBelow || owed > readBelow+8000 {
			t.Errorf("%d bytes of answers are unread, want little more than %d", owed, readBelow)
		}
		if c.pipe.unread() == 0 {
			t.Error("the connection was read to its end")
		}
		c.pipe.listen()
		h.settle()
		answers := c.all()[before:]
		if len(answers) != frames {
			t.Fatalf("%d frames were answered, want %d", len(answers), frames)
		}
		for n, f := range answers {
			if !strings.HasPrefix(string(f.ID), fmt.Sprintf(`"%d-`, n)) || f.Error.Code != wire.CodeInvalidRequest {
				t.Fatalf("answer %d is %.200s", n, f.raw)
			}
		}
	})
}

// A socket that takes nothing for the stall time-out is closed, and what it
// was is forgotten; nobody else notices (protocol §5).
func TestStalledPeerIsLetGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		agent, reviewer := h.as(wire.RoleAgent), h.as(wire.RoleReviewer, `"allSessions":true`)
		session := agent.start()
		h.settle()
		reviewer.pipe.deafen()
		id := agent.open(session, refuse)
		if got := agent.state(session, id); got != "pending" {
			t.Fatalf("with a reviewer there it is %s", got)
		}
		reviewer.end() // time passes until it is closed
		h.settle()
		if got := agent.state(session, id); got != "unavailable" {
			t.Errorf("after the only reviewer stalled it is %s", got)
		}
		if n := h.Connections(); n != 1 {
			t.Errorf("%d connections are left", n)
		}
	})
}

// The bound on pending approvals is the session's (protocol §1).
func TestPendingApprovalsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, func(h *host, _ *Config) { h.limits.MaxPending = 3 })
		c := h.as(wire.RoleBoth)
		session, other := c.start(), c.start()
		var ids []string
		for range 3 {
			ids = append(ids, c.open(session))
		}
		e := c.refused(wire.MethodApprovalOpen, openParams(session))
		if e.Code != wire.CodeBackpressured || e.Data.Capacity != 3 {
			t.Errorf("the fourth was refused with %+v", e)
		}
		c.open(other)
		c.choose(session, ids[0], wire.ChoiceAbort)
		c.open(session)
	})
}

// Refusals that must be recorded are bounded in a row, so that a client in a
// loop does not fill the log; accepted commands pass and reset the count
// (protocol §3).
func TestRecordedRefusalsInARowAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, func(h *host, _ *Config) { h.limits.MaxRefusals = 5 })
		c := h.as(wire.RoleBoth)
		session := c.start()
		id := c.open(session)
		wrong := func() int {
			return c.refused(wire.MethodApprovalDecide, decideParams(session, id, "no_such_choice")).Code
		}
		for range 2 {
			for range 5 {
				if code := wrong(); code != wire.CodeApprovalChoiceInvalid {
					t.Fatalf("code %d", code)
				}
			}
			head := h.log.Head()
			if code := wrong(); code != wire.CodeOverloaded || h.log.Head() != head {
				t.Errorf("code %d, %d more records; want %d and none", code, h.log.Head()-head, wire.CodeOverloaded)
			}
			c.open(session)
		}
	})
}
