package daemon_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/rpc"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/tests/bench/yardstick"
	"github.com/approvald/approvald/wire"
)

// BenchmarkDecide decides approvals over so many connections to the reviewers' socket, each with
// so many decisions unanswered: an op is one durable decision. The yardstick makes the same bytes
// durable for as many callers in the process, without a socket (perf §9, T9 and T10).
func BenchmarkDecide(b *testing.B) {
	settled := settledRecord(b)
	for _, load := range []struct{ conns, inFlight int }{{1, 1}, {16, 4}} {
		name := fmt.Sprintf("conns=%d/inflight=%d/v=", load.conns, load.inFlight)
		b.Run(name+"approvald", func(b *testing.B) { benchmarkDecide(b, load.conns, load.inFlight) })
		b.Run(name+"groupCommit", func(b *testing.B) {
			yardstick.MeasureStore(b, load.conns*load.inFlight, yardstick.OpenGroupCommit, settled)
		})
	}
}

// BenchmarkEcho asks what costs no more than its way in and out, over one connection with so many
// requests unanswered. The yardsticks answer the same frames (perf §9, T8).
func BenchmarkEcho(b *testing.B) {
	for _, inFlight := range []int{1, 64} {
		name := fmt.Sprintf("conns=1/inflight=%d/v=", inFlight)
		b.Run(name+"approvald", func(b *testing.B) {
			d := startDaemon(b)
			host := d.dial(b, "host")
			session := host.startSession(b)
			exchange(b, host.Client, echo(session), inFlight)
			d.close(b)
		})
		b.Run(name+"lean", func(b *testing.B) { benchmarkEcho(b, inFlight, yardstick.ServeLean) })
		b.Run(name+"jsonrpc2", func(b *testing.B) { benchmarkEcho(b, inFlight, yardstick.ServeLibrary) })
	}
}

func benchmarkEcho(b *testing.B, inFlight int, serve func(net.Conn) error) {
	l, err := net.Listen("unix", filepath.Join(b.TempDir(), "s"))
	if err != nil {
		b.Fatal(err)
	}
	served := make(chan error, 1)
	go func() {
		conn, err := l.Accept()
		if err == nil {
			err = serve(conn)
		}
		served <- err
	}()
	conn, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	exchange(b, yardstick.NewClient(conn), echo(approval.ID{}.String()), inFlight)
	if err := conn.Close(); err != nil {
		b.Fatal(err)
	}
	if err := <-served; err != nil {
		b.Fatal(err)
	}
}

// echo is a request with the length and the members of a decision; what unsubscribing does not
// know it ignores.
func echo(session string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":17,"method":"view/unsubscribe","params":{"commandId":%q,"sessionId":%q,`+
		`"approvalId":%[2]q,"requirementId":{"approvalId":%[2]q,"sourceIndex":0},"choiceId":"allow_once","feedback":null}}`+"\n",
		commandID(0), session)
}

// exchange measures b.N times the same request.
func exchange(b *testing.B, c *yardstick.Client, request []byte, inFlight int) {
	requests := make([][]byte, b.N)
	for i := range requests {
		requests[i] = request
	}
	m := yardstick.Start(b)
	took, err := c.Exchange(requests, inFlight, nil)
	m.Stop()
	if err != nil {
		b.Fatal(err)
	}
	m.Report(took)
}

// maxWaiting is how many approvals wait at once in BenchmarkDecide: more than anybody has before
// them. What it costs to have a hundred thousand is BenchmarkParked's matter.
const maxWaiting = 4096

func benchmarkDecide(b *testing.B, conns, inFlight int) {
	d := startDaemon(b)
	reviewers := d.dialReviewers(b, conns)
	var took []time.Duration
	m := yardstick.Start(b)
	m.Stop()
	for len(took) < b.N {
		requests := d.openApprovals(b, min(b.N-len(took), maxWaiting))
		m.Continue()
		more := decide(b, reviewers, requests, inFlight)
		m.Stop()
		took = append(took, more...)
	}
	m.Report(took)
	d.close(b)
}

func (d *running) dialReviewers(b *testing.B, conns int) []client {
	b.Helper()
	reviewers := make([]client, conns)
	for i := range reviewers {
		reviewers[i] = d.dial(b, "reviewer")
	}
	return reviewers
}

// decide sends each reviewer's share of the requests, and returns how long the answers took.
func decide(b *testing.B, reviewers []client, requests [][]byte, inFlight int) (all []time.Duration) {
	b.Helper()
	took := make([][]time.Duration, len(reviewers))
	errs := make([]error, len(reviewers))
	var wg sync.WaitGroup
	for i, r := range reviewers {
		share := requests[i*len(requests)/len(reviewers) : (i+1)*len(requests)/len(reviewers)]
		wg.Go(func() { took[i], errs[i] = r.Exchange(share, inFlight, nil) })
	}
	wg.Wait()
	for i := range reviewers {
		if errs[i] != nil {
			b.Fatal(errs[i])
		}
		all = append(all, took[i]...)
	}
	return all
}

// settledRecord are the bytes that a decision leaves in the log: the last record of a daemon that
// was asked for one.
func settledRecord(b *testing.B) []byte {
	d := startDaemon(b)
	reviewer := d.dial(b, "reviewer")
	if _, err := reviewer.Exchange(d.openApprovals(b, 1), 1, nil); err != nil {
		b.Fatal(err)
	}
	d.close(b)
	l, err := log.Open(d.log)
	if err != nil {
		b.Fatal(err)
	}
	value, err := l.Get(l.Head())
	if err != nil {
		b.Fatal(err)
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	return value
}

// running is a daemon with its sockets open.
type running struct {
	*daemon.Daemon
	log     string // path
	runtime string
}

func startDaemon(b *testing.B) *running {
	b.Helper()
	dir := b.TempDir()
	d, err := daemon.Open(daemon.Config{
		StateDir:   filepath.Join(dir, "state"),
		RuntimeDir: filepath.Join(dir, "run"),
		Identity:   rpc.Identity{Version: "bench", Home: dir, OS: "linux", Arch: "amd64"},
		NewID:      daemon.Minter(rand.Reader, sequencer.SystemClock{}),
		Clock:      sequencer.SystemClock{},
		MaxPending: 10_000_000,
	})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := d.Listen(); err != nil {
		b.Fatal(err)
	}
	return &running{d, filepath.Join(dir, "state", "sessions.db"), filepath.Join(dir, "run")}
}

func (d *running) close(b *testing.B) {
	b.Helper()
	if err := d.Close(); err != nil {
		b.Fatal(err)
	}
}

// client is a connection after its handshake, in the widest role of its socket and not
// interactive, so that it is sent answers and nothing else.
type client struct{ *yardstick.Client }

func (d *running) dial(b *testing.B, socket string) client {
	b.Helper()
	conn, err := net.Dial("unix", rpc.SocketPath(d.runtime, socket))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close() })
	c := client{yardstick.NewClient(conn)}
	c.call(b, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"bench","version":"1"},`+
		`"capabilities":{"approvald":{"interactive":false}}}}`, nil)
	if err := c.Notify(`{"jsonrpc":"2.0","method":"initialized"}`); err != nil {
		b.Fatal(err)
	}
	return c
}

// call sends a request and decodes its result into v, if that is not nil.
func (c client) call(b *testing.B, request string, v any) {
	b.Helper()
	line, err := c.Call(request)
	if err != nil {
		b.Fatal(err)
	}
	if v == nil {
		return
	}
	if err := json.Unmarshal(line, &struct{ Result any }{v}); err != nil {
		b.Fatal(err)
	}
}

// sessionsStarted makes the command of each session's start another.
var sessionsStarted atomic.Int64

// startSession starts a session to which the connection is not subscribed.
func (c client) startSession(b *testing.B) (id string) {
	b.Helper()
	var started wire.SessionStartResult
	c.call(b, fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"session/start","params":{"commandId":%q,"workspaceRoot":%q}}`,
		commandID(int(sessionsStarted.Add(1))), b.TempDir()), &started)
	id = started.Session.SessionID
	c.call(b, fmt.Sprintf(`{"jsonrpc":"2.0","id":3,"method":"view/unsubscribe","params":{"sessionId":%q}}`, id), nil)
	return id
}

// openApprovals opens n approvals in a session of their own and returns the requests that decide
// them.
func (d *running) openApprovals(b *testing.B, n int) (decisions [][]byte) {
	b.Helper()
	decisions, _ = d.openApprovalsIn(b, n)
	return decisions
}

func (d *running) openApprovalsIn(b *testing.B, n int) (decisions [][]byte, session string) {
	b.Helper()
	host := d.dial(b, "host")
	session = host.startSession(b)
	opens := make([][]byte, n)
	for i := range opens {
		opens[i] = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"approval/open","params":{"commandId":%q,"sessionId":%q,`+
			`"toolCallId":"call-1","toolName":"write_file","rawArgs":"{\"path\":\"notes.md\"}","reason":"The notes are to be kept.",`+
			`"subject":{"kind":"fileAccess","path":"notes.md","access":"write","diff":"@@ -0,0 +1 @@\n+One daemon, one log.\n"}}}`+"\n",
			i, commandID(2*i+1), session)
	}
	decisions = make([][]byte, n)
	_, err := host.Exchange(opens, 64, func(i int, line []byte) error {
		_, rest, _ := strings.Cut(string(line), `"approvalId":"`)
		id, _, found := strings.Cut(rest, `"`)
		if !found {
			return fmt.Errorf("no approval was opened: %s", line)
		}
		decisions[i] = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"approval/decide","params":{"commandId":%q,"sessionId":%q,`+
			`"approvalId":%[4]q,"requirementId":{"approvalId":%[4]q,"sourceIndex":0},"choiceId":"allow_once","feedback":null}}`+"\n",
			i, commandID(2*i+2), session, id)
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return decisions, session
}

// commandID is the nth of a row of UUIDs of version 7.
func commandID(n int) string { return fmt.Sprintf("018f6a2a-3333-7abc-8def-%012x", n) }
