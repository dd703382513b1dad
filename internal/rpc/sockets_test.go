package rpc

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/wire"
)

// However many decide one approval at the same moment, one does, and all the
// others are told how it was settled; never that it does not exist.
func TestHundredDecidersOfOneApproval(t *testing.T) {
	const deciders = 100
	h := newHost(t)
	dir := h.listen()
	agent := h.dialAs(dir, wire.RoleBoth, `"interactive":false`)
	session := agent.start()
	reviewers := make([]*client, deciders)
	for i := range reviewers {
		reviewers[i] = h.dialAs(dir, wire.RoleReviewer)
	}
	for range 3 {
		id := agent.open(session)
		var begin, done sync.WaitGroup
		begin.Add(1)
		answers := make([]received, deciders)
		for i, reviewer := range reviewers {
			choice := []wire.ChoiceID{wire.ChoiceAllowOnce, wire.ChoiceAbort}[i%2]
			request, line := reviewer.line(wire.MethodApprovalDecide, decideParams(session, id, choice))
			done.Go(func() {
				begin.Wait()
				reviewer.write(line)
				answers[i] = reviewer.answer(request)
			})
		}
		begin.Done()
		done.Wait()

		accepted := 0
		told := map[wire.ResolutionNotice]int{}
		for _, f := range answers {
			switch {
			case f.Error == nil:
				accepted++
			case f.Error.Code == wire.CodeApprovalAlreadyResolved && f.Error.Data.Resolution != nil:
				told[*f.Error.Data.Resolution]++
			default:
				t.Errorf("a decider was told %s", f.raw)
			}
		}
		if accepted != 1 || len(told) != 1 {
			t.Errorf("%d were accepted, and the others were told %v", accepted, told)
		}
		for notice, n := range told {
			if state := agent.state(session, id); n != deciders-1 || string(notice.Outcome) != state {
				t.Errorf("%d were told %+v, and it is %s", n, notice, state)
			}
		}
	}
}

// Frames that are no messages are answered one by one, in order, and neither
// close the connection nor keep anybody from being served (protocol §1).
func TestMalformedFramesLeaveEverybodyServed(t *testing.T) {
	const frames = 10_000
	h := newHost(t)
	dir := h.listen()
	// In the role of an agent it is sent nothing but its own.
	c, other := h.dialAs(dir, wire.RoleBoth, `"role":"agent"`), h.dialAs(dir, wire.RoleBoth)
	c.must(wire.MethodSessionList, `{}`, nil)
	before := len(c.all())
	var kinds []string
	session := other.start()
	for kind, frame := range malformedFrames(1) {
		if _, err := c.conn.Write(append(frame, '\n')); err != nil {
			t.Fatalf("frame %d (%s): %v", len(kinds), kind, err)
		}
		if kinds = append(kinds, kind); len(kinds) == frames {
			break
		}
		if len(kinds)%500 == 0 {
			other.choose(session, other.open(session), wire.ChoiceAbort)
		}
	}
	c.answerTo(before + frames - 1)
	for i, f := range c.all()[before:] {
		if f.Error == nil || f.Error.Code != malformedCode(kinds[i]) {
			t.Fatalf("frame %d (%s) was answered %.300s, want %d", i, kinds[i], f.raw, malformedCode(kinds[i]))
		}
	}
	mine := c.start()
	if got := c.state(mine, c.open(mine)); got != "pending" {
		t.Errorf("an approval opened afterwards is %s", got)
	}
}

// answerTo waits until that many frames, and one, have come.
func (c *client) answerTo(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.frames) <= n && !c.ended {
		c.arrived.Wait()
	}
}

// A frame beyond the bound costs no more memory than the bound, however it
// arrives; the next one is served.
func TestMemoryOfOversizedFramesOnAConnection(t *testing.T) {
	const size, slack = 20 << 20, 2 << 20
	for _, piece := range []int{1 << 10, 1 << 20, size} {
		t.Run(fmt.Sprintf("%d bytes at a time", piece), func(t *testing.T) {
			h := newHost(t)
			c := h.dialAs(h.listen(), wire.RoleBoth)
			c.must(wire.MethodSessionList, `{}`, nil)
			head := []byte(`{"jsonrpc":"2.0","id":"large","method":"session/list","params":{"p":"`)
			body, tail := bytes.Repeat([]byte("a"), piece), []byte("\"}}\n")
			runtime.GC()
			before := allocated()
			send := func(part []byte) {
				if _, err := c.conn.Write(part); err != nil {
					t.Fatal(err)
				}
			}
			send(head)
			for sent := 0; sent < size; sent += piece {
				send(body)
			}
			send(tail)
			f := c.answer(`"large"`)
			c.must(wire.MethodSessionList, `{}`, nil)
			grown := allocated() - before // what was ever allocated bounds what was held at once
			if f.Error == nil || f.Error.Code != wire.CodeInputTooLarge || f.Error.Data.LimitBytes != wire.MaxFrame {
				t.Errorf("it was answered %s", f.raw)
			}
			if grown > wire.MaxFrame+slack {
				t.Errorf("%d bytes were allocated for a frame of %d, want at most %d", grown, size, wire.MaxFrame+slack)
			}
		})
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// printf '…' | approvald: a peer that closes its half is answered everything
// that it sent, what is parked with shuttingDown, and then finds the end.
func TestClosedHalfIsAnsweredInFull(t *testing.T) {
	h := newHost(t)
	c := h.dial(h.listen(), "host")
	session := numbered(1 << 40).String()
	lines := []string{
		`{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"clientInfo":{"name":"printf","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"initialized"}`,
		`{"jsonrpc":"2.0","id":"b","method":"session/start","params":` + startParams(fmt.Sprintf(`"sessionId":%q`, session)) + `}`,
		`{"jsonrpc":"2.0","id":"c","method":"approval/open","params":` + openParams(session) + `}`,
		`{"jsonrpc":"2.0","id":"d","method":"approval/listPending","params":{}}`,
		`{"jsonrpc":"2.0","id":"e","method":"no/suchMethod"}`,
		`{"jsonrpc":"2.0","id":"f","method":"view/page","params":` + inSession(session, `"limit":10`) + `}`,
		`{"jsonrpc":"2.0","id":"g","method":"session/list","params":{}}`, // not ended by a newline
	}
	if _, err := c.conn.Write([]byte(strings.Join(lines, "\n"))); err != nil {
		t.Fatal(err)
	}
	closeWrite(t, c)
	c.end()
	var answered []string
	for _, f := range c.all() {
		if f.Method == "" {
			answered = append(answered, string(f.ID))
		}
	}
	want := []string{`"a"`, `"b"`, `"c"`, `"d"`, `"e"`, `"f"`, `"g"`}
	if diff := cmp.Diff(want, answered); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

func closeWrite(t *testing.T, c *client) {
	t.Helper()
	socket, ok := c.conn.(interface{ CloseWrite() error })
	if !ok {
		t.Fatal("this is no socket")
	}
	if err := socket.CloseWrite(); err != nil {
		t.Fatal(err)
	}
}

func TestClosedHalfEndsWhatIsParked(t *testing.T) {
	h := newHost(t)
	dir := h.listen()
	c, reviewer := h.dialAs(dir, wire.RoleBoth), h.dialAs(dir, wire.RoleReviewer)
	session := c.start()
	id := c.open(session)
	parked := c.send(wire.MethodApprovalAwait, inSession(session, fmt.Sprintf(`"approvalIds":[%q]`, id)))
	closeWrite(t, c)
	if f := c.answer(parked); f.Error == nil || f.Error.Code != wire.CodeShuttingDown {
		t.Errorf("the await was answered %s", f.raw)
	}
	c.end()
	if got := reviewer.state(session, id); got != "pending" {
		t.Errorf("the approval is %s: a gone agent changes nothing", got)
	}
}
