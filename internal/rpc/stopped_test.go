package rpc

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/wire"
)

// story is what a connection was sent, in a form that is compared across
// processes: of each session the number of its view events, the last cursor,
// and a digest of their frames in order.
type story struct {
	Events  map[string]int
	Last    map[string]uint64
	Digests map[string]string
	Faults  []string // cursors and request ids that do not grow
}

// member cuts the first string member of this name out of a frame. Frames of
// the server have one spelling, and there are too many of them to be decoded.
func member(frame, name string) string {
	_, rest, _ := strings.Cut(frame, `"`+name+`":"`)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

// tell adds a view event.
func (s *story) tell(frame string) error {
	session, cursor := member(frame, "sessionId"), member(frame, "viewCursor")
	n, err := strconv.ParseUint(cursor[strings.LastIndexByte(cursor, ':')+1:], 10, 64)
	if err != nil {
		return fmt.Errorf("%w: %.300s", err, frame)
	}
	if n <= s.Last[session] {
		s.Faults = append(s.Faults, fmt.Sprintf("%s after %d", cursor, s.Last[session]))
	}
	s.Last[session] = n
	sum := sha256.Sum256([]byte(s.Digests[session] + frame))
	s.Digests[session] = hex.EncodeToString(sum[:])
	s.Events[session]++
	return nil
}

// follow subscribes to everything and reads until so many sessions have been
// closed. ready is called when the subscription stands.
func follow(path string, sessions int, ready func()) (story, error) {
	s := story{Events: map[string]int{}, Last: map[string]uint64{}, Digests: map[string]string{}}
	conn, err := net.Dial("unix", path)
	if err != nil {
		return s, err
	}
	defer conn.Close()
	hello := strings.Replace(helloLine, `"version":"1"}`, `"version":"1"},"capabilities":{"approvald":{"allSessions":true}}`, 1)
	if _, err := io.WriteString(conn, strings.Join([]string{hello, initializedLine, listLine}, "\n")+"\n"); err != nil {
		return s, err
	}
	lines := bufio.NewReaderSize(conn, 1<<16)
	for requests := 0; sessions > 0; {
		frame, err := lines.ReadString('\n')
		if err != nil {
			return s, fmt.Errorf("after %v events: %w", s.Events, err)
		}
		switch method := member(frame, "method"); method {
		case "":
			if strings.Contains(frame, `"id":"list"`) {
				ready()
			}
		case wire.MethodApprovalRequest:
			if requests++; !strings.Contains(frame, fmt.Sprintf(`"id":%d,`, requests)) {
				s.Faults = append(s.Faults, fmt.Sprintf("the %d. request is %.60s", requests, frame))
			}
		case wire.MethodSessionStarted, wire.MethodSessionStatusChanged:
		case wire.MethodSessionClosed:
			sessions--
			fallthrough
		default:
			if err := s.tell(frame); err != nil {
				return s, err
			}
		}
	}
	return s, nil
}

// followAsChild follows and says "ready", and at the end the story.
func followAsChild(args []string) error {
	sessions, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	s, err := follow(args[0], sessions, func() { fmt.Println("ready") })
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(s)
}

// A reviewer that stops reading, a real process that is stopped, holds up
// nobody, costs no more than is rendered ahead for it, and when it goes on has
// missed nothing.
func TestStoppedReviewer(t *testing.T) {
	const modes, approvals = 46_000, 2_000 // changes with one event, openings with two
	h := newHost(t, func(_ *host, c *Config) { c.Stall = 24 * time.Hour })
	dir := h.listen()
	driver := dialDriver(t, SocketPath(dir, "host"))
	one, two := driver.start(), driver.start()

	stopped := startChild(t, "follow", SocketPath(dir, "reviewer"), "2")
	if got := stopped.line(); got != "ready" {
		t.Fatalf("the reviewer said %q", got)
	}
	stop(t, stopped)

	// While it is stopped everything happens, and another reviewer sees it all.
	type told struct {
		story
		err error
	}
	other, ready := make(chan told, 1), make(chan struct{})
	go func() {
		s, err := follow(SocketPath(dir, "reviewer"), 2, func() { close(ready) })
		other <- told{s, err}
	}()
	<-ready
	driver.changeMode(one, modes/2)
	driver.decide(two, driver.open(two, approvals))
	driver.changeMode(two, modes/2)
	driver.close(one)
	driver.close(two)
	seen := <-other
	if seen.err != nil {
		t.Fatal(seen.err)
	}
	if events := seen.Events[one] + seen.Events[two]; events != modes+2*approvals+2 {
		t.Errorf("%d events passed", events)
	}

	of := h.connOf(stopped.cmd.Process.Pid)
	if owed := of.out.owed(); owed > renderChunk {
		t.Errorf("%d bytes are rendered ahead for it", owed)
	}
	of.pump.mu.Lock()
	if n := len(of.pump.tasks) + len(of.pump.notices.order) + len(of.pump.asked.sent); n > 10 {
		t.Errorf("%d things are remembered for it", n)
	}
	of.pump.mu.Unlock()
	with := inUse()

	if err := stopped.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	var after story
	if err := json.Unmarshal([]byte(stopped.line()), &after); err != nil {
		t.Fatal(err)
	}
	if err := stopped.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(seen.story, after); diff != "" {
		t.Errorf("what it saw (-other +stopped):\n%s", diff)
	}
	for _, session := range []string{one, two} {
		if head := driver.head(session); seen.Last[session] != head {
			t.Errorf("the last event of session %s had cursor %d, and it ends at %d", session, seen.Last[session], head)
		}
	}
	if without := inUse(); with > without+startBelow {
		t.Errorf("%d bytes more were in use while it was stopped", with-without)
	}
}

// stop stops a process and waits until it stands.
func stop(t *testing.T, c *child) {
	t.Helper()
	if err := c.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(c.cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("the process did not stop: %v, %v", status, err)
	}
}

// connOf is the connection of a process.
func (h *host) connOf(pid int) *conn {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.conns {
		if c.transport.Peer.PID == pid {
			return c
		}
	}
	h.t.Fatalf("process %d has no connection", pid)
	return nil
}

// inUse is what the heap holds for good: what the tests before have left is still being let
// go of on a busy machine.
func inUse() uint64 {
	const settled = 64 << 10
	var m runtime.MemStats
	for before := uint64(math.MaxUint64); ; before = m.HeapAlloc {
		runtime.GC()
		runtime.GC() // what finalizers let go of
		runtime.ReadMemStats(&m)
		if m.HeapAlloc+settled >= before {
			return m.HeapAlloc
		}
	}
}

// driver is a lean client for a great many commands: it keeps answers only
// while it waits for them.
type driver struct {
	t     *testing.T
	conn  net.Conn
	lines *bufio.Reader
}

func dialDriver(t *testing.T, path string) *driver {
	t.Helper()
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	d := &driver{t, conn, bufio.NewReaderSize(conn, 1<<16)}
	d.call(wire.MethodInitialize, `{"clientInfo":{"name":"driver","version":"1"},"capabilities":{"approvald":{"interactive":false}}}`)
	if _, err := io.WriteString(conn, initializedLine+"\n"); err != nil {
		t.Fatal(err)
	}
	return d
}

// call sends requests of one method together and gives their results.
func (d *driver) call(method string, params ...string) (results []json.RawMessage) {
	d.t.Helper()
	var frames strings.Builder
	for i, p := range params {
		fmt.Fprintf(&frames, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", i, method, p)
	}
	if _, err := io.WriteString(d.conn, frames.String()); err != nil {
		d.t.Fatal(err)
	}
	for len(results) < len(params) {
		line, err := d.lines.ReadBytes('\n')
		if err != nil {
			d.t.Fatal(err)
		}
		if !strings.HasPrefix(string(line[:23]), `{"jsonrpc":"2.0","id":`) {
			continue // an event, or the status of a session
		}
		var f received
		if err := json.Unmarshal(line, &f); err != nil || f.Error != nil {
			d.t.Fatalf("%s was answered %s (%v)", method, line, err)
		}
		results = append(results, f.Result)
	}
	return results
}

// batch is how many commands are sent before their answers are read.
const batch = 200

// start starts a session whose events it does not want to see.
func (d *driver) start() (session string) {
	d.t.Helper()
	var result wire.SessionStartResult
	if err := json.Unmarshal(d.call(wire.MethodSessionStart, startParams())[0], &result); err != nil {
		d.t.Fatal(err)
	}
	d.call(wire.MethodViewUnsubscribe, inSession(result.Session.SessionID))
	return result.Session.SessionID
}

// changeMode changes the mode so many times; each is another than before.
func (d *driver) changeMode(session string, n int) {
	d.t.Helper()
	for ; n > 0; n -= batch {
		var params []string
		for range batch / 2 {
			for _, mode := range []wire.Mode{wire.ModeDenyUnmatched, wire.ModePromptUnmatched} {
				params = append(params, inSession(session, fmt.Sprintf(`"commandId":%q,"mode":%q`, command(), mode)))
			}
		}
		d.call(wire.MethodSessionSetApprovalMode, params...)
	}
}

func (d *driver) open(session string, n int) (ids []string) {
	d.t.Helper()
	for len(ids) < n {
		var params []string
		for range batch {
			params = append(params, openParams(session))
		}
		for _, raw := range d.call(wire.MethodApprovalOpen, params...) {
			var result wire.ApprovalOpenResult
			if err := json.Unmarshal(raw, &result); err != nil {
				d.t.Fatal(err)
			}
			ids = append(ids, result.ApprovalID)
		}
	}
	return ids
}

func (d *driver) decide(session string, ids []string) {
	d.t.Helper()
	for ; len(ids) > 0; ids = ids[batch:] {
		var params []string
		for _, id := range ids[:batch] {
			params = append(params, decideParams(session, id, wire.ChoiceAllowOnce))
		}
		d.call(wire.MethodApprovalDecide, params...)
	}
}

func (d *driver) close(session string) {
	d.t.Helper()
	d.call(wire.MethodSessionClose, inSession(session, fmt.Sprintf(`"commandId":%q`, command())))
}

// head is the last cursor of a session.
func (d *driver) head(session string) uint64 {
	d.t.Helper()
	frame := string(d.call(wire.MethodViewPage, inSession(session, `"limit":1,"direction":"backward"`))[0])
	n, err := strconv.ParseUint(strings.TrimPrefix(member(frame, "viewCursor"), "v:"+session+":"), 10, 64)
	if err != nil {
		d.t.Fatalf("%v: %s", err, frame)
	}
	return n
}
