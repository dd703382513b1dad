package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

// shutDown ends a host as a daemon does: the writer first, then the edge. It
// returns when every connection is gone, and reports whether they went by
// themselves within timeout.
func (h *host) shutDown(timeout time.Duration) (orderly bool) {
	h.t.Helper()
	h.seq.Drain()
	err := <-h.ended
	h.ended <- err
	if err != nil {
		h.t.Errorf("the writer ended with %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	h.Drain(ctx)
	return ctx.Err() == nil
}

// An orderly end (protocol §1): awaits are answered shuttingDown, every
// subscriber is told that its open sessions close, behind the events that it
// is owed, and what is pending stays pending.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		agent, reviewer, all := h.as(wire.RoleAgent), h.as(wire.RoleReviewer), h.as(wire.RoleReviewer, `"allSessions":true`)
		session, closed := agent.start(), agent.start()
		agent.must(wire.MethodSessionClose, inSession(closed, fmt.Sprintf(`"commandId":%q`, command())), nil)
		reviewer.subscribe(session)
		reviewer.subscribe(closed)
		silent := h.connect("reviewer", wire.RoleReviewer) // has not said a word
		h.settle()

		reviewer.pipe.deafen()
		late := reviewer.send(wire.MethodSessionList, `{}`)
		h.settle()
		id := agent.open(session)
		var awaits []string
		for range 3 {
			awaits = append(awaits, agent.send(wire.MethodApprovalAwait, inSession(session, fmt.Sprintf(`"approvalIds":[%q]`, id))))
		}
		h.settle()
		h.clients.Go(func() { // it listens again when the drain has begun
			time.Sleep(time.Second)
			reviewer.pipe.listen()
		})
		if !h.shutDown(time.Minute) {
			t.Error("somebody had to be abandoned")
		}

		for _, await := range awaits {
			if f := agent.answer(await); f.Error == nil || f.Error.Code != wire.CodeShuttingDown || !f.Error.Data.Retryable {
				t.Errorf("an await was answered %s", f.raw)
			}
		}
		reviewer.answer(late)
		for who, c := range map[string]*client{"agent": agent, "reviewer": reviewer, "reviewer of all sessions": all} {
			c.end()
			last := c.all()[len(c.all())-1]
			if last.Method != wire.MethodSessionClosed || !holdsAll(last.raw, []string{session, `"reason":"hostShutdown"`, `"viewCursor":null`}) {
				t.Errorf("the last frame of the %s is %s", who, last.raw)
			}
			if n := c.heard(wire.MethodSessionClosed, closed, "hostShutdown"); n != 0 {
				t.Errorf("the %s was told of a session that was closed before", who)
			}
			if n := c.heard(wire.MethodApprovalRequested, id); n != 1 {
				t.Errorf("the %s was sent %d events that it was owed", who, n)
			}
		}
		silent.end()
		if n := len(silent.all()); n != 0 {
			t.Errorf("%d frames were sent before the handshake", n)
		}

		newcomer := h.connect("host", wire.RoleBoth)
		newcomer.end()

		again := newHostOver(t, h.log.Memory)
		again.recover()
		witness := again.as(wire.RoleReviewer)
		if got := witness.state(session, id); got != "superseded" { // it was pending at the restart
			t.Errorf("after the restart it is %s", got)
		}
	})
}

// What one connection is told at the end is told in the order of the ids.
func TestDrainClosesSessionsInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		c := h.as(wire.RoleBoth)
		var want, got []string
		for range 10 {
			want = append(want, c.start())
		}
		slices.Sort(want)
		h.shutDown(time.Minute)
		c.end()
		for _, f := range c.all() {
			if f.Method != wire.MethodSessionClosed {
				continue
			}
			var params wire.SessionClosed
			if err := json.Unmarshal(f.Params, &params); err != nil {
				t.Fatal(err)
			}
			got = append(got, params.SessionID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("closed %v, want %v", got, want)
		}
	})
}

// Between the end of the writer and that of a connection commands are refused
// and queries are served.
func TestCommandsAfterTheWriterHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		c := h.as(wire.RoleBoth)
		session := c.start()
		h.seq.Drain()
		h.settle()
		e := c.refused(wire.MethodApprovalOpen, openParams(session))
		if e.Code != wire.CodeShuttingDown || !e.Data.Retryable {
			t.Errorf("a command was refused with %+v", e)
		}
		c.must(wire.MethodSessionRead, inSession(session), nil)
	})
}

// What was queued when the drain began is answered.
func TestDrainAnswersWhatIsQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		c := h.as(wire.RoleBoth)
		session := c.start()
		h.settle()
		h.log.gate.close()
		var ids []string
		for range 200 {
			ids = append(ids, c.send(wire.MethodApprovalOpen, openParams(session)))
		}
		h.settle()
		h.seq.Drain()
		h.log.gate.open()
		if !h.shutDown(time.Minute) {
			t.Error("it had to be abandoned")
		}
		for n, id := range ids {
			f := c.answer(id)
			if want := n >= maxInWork; (f.Error != nil) != want || want && f.Error.Code != wire.CodeShuttingDown {
				t.Errorf("command %d was answered %s", n, f.raw)
			}
		}
	})
}

// A peer that takes nothing cannot hold up the end.
func TestDrainAbandonsWhoDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, func(_ *host, c *Config) { c.Stall = 24 * time.Hour })
		c := h.as(wire.RoleBoth)
		c.start()
		h.settle()
		c.pipe.deafen()
		c.send(wire.MethodSessionList, `{}`)
		h.settle()
		began := time.Now()
		if h.shutDown(5 * time.Second) {
			t.Error("a peer that took nothing is said to have gone by itself")
		}
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("the end took %v", took)
		}
	})
}

// After a failed append everybody is told so, and so is whoever comes later.
func TestEdgeAfterAFailedAppend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		c, other := h.as(wire.RoleBoth), h.as(wire.RoleBoth)
		session := c.start()
		id := c.open(session)
		await := other.send(wire.MethodApprovalAwait, inSession(session, fmt.Sprintf(`"approvalIds":[%q]`, id)))
		h.settle()
		if err := h.log.Close(); err != nil { // what is appended from now on fails
			t.Fatal(err)
		}
		e := c.refused(wire.MethodApprovalDecide, decideParams(session, id, wire.ChoiceAllowOnce))
		if e.Code != wire.CodeInternal || !e.Data.Retryable {
			t.Errorf("the decision was refused with %+v", e)
		}
		synctest.Wait() // until then a command may still be queued, and be told the same
		if e := other.refused(wire.MethodApprovalOpen, openParams(session)); e.Code != wire.CodeShuttingDown {
			t.Errorf("a later command was refused with %+v", e)
		}
		if slices.ContainsFunc(other.all(), func(f received) bool { return f.Method == "" && string(f.ID) == await }) {
			t.Error("an await was answered")
		}
		if n := other.heard(wire.MethodApprovalResolved); n != 0 {
			t.Error("an event tells of what may not be durable")
		}
		err := <-h.ended
		h.ended <- err
		if err == nil || errors.Is(err, context.Canceled) {
			t.Errorf("the writer ended with %v", err)
		}
	})
}

// Nothing is left of a host that was closed, whatever its peers were doing.
func TestNoGoroutineIsLeftBehind(t *testing.T) {
	h := newHost(t)
	dir := h.listen()
	agent := h.dialAs(dir, wire.RoleBoth)
	session := agent.start()
	id := agent.open(session, `"timeoutMs":3600000`)
	agent.send(wire.MethodApprovalAwait, inSession(session, fmt.Sprintf(`"approvalIds":[%q],"waitMs":3600000`, id)))
	h.dialAs(dir, wire.RoleReviewer, `"allSessions":true`).event(wire.MethodApprovalRequest)
	h.dial(dir, "host") // says nothing
	half := h.dial(dir, "host")
	half.write(`{"jsonrpc":"2.0","id":1,`) // a frame that does not end
	closeWrite(t, h.dialAs(dir, wire.RoleBoth))
	deaf, err := net.Dial("unix", SocketPath(dir, "host"))
	if err != nil {
		t.Fatal(err)
	}
	defer deaf.Close()
	if _, err := deaf.Write([]byte(strings.Repeat("no message\n", 100_000))); err != nil {
		t.Fatal(err)
	}
	if err := h.seq.Enqueue(decide.ReviewersGone{Session: approval.ID{}}); err != nil {
		t.Fatal(err)
	}
	h.shutDown(0)
	h.close()
	deadline := time.Now().Add(10 * time.Second)
	for left := ours(); len(left) > 0; left = ours() {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines are left, one of them:\n%s", len(left), left[0])
		}
		runtime.Gosched()
	}
}

// ours are the stacks of the goroutines that the server and its writer run.
func ours() (stacks []string) {
	buf := make([]byte, 1<<20)
	for stack := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		if strings.Contains(stack, "_test.go") && !strings.Contains(stack, "newHostOver.func") {
			continue // a test's own
		}
		if strings.Contains(stack, "approvald/internal/rpc.") || strings.Contains(stack, "approvald/internal/sequencer.") {
			stacks = append(stacks, stack)
		}
	}
	return stacks
}
