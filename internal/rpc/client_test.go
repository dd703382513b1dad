package rpc

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/approvald/approvald/tests/conform"
	"github.com/approvald/approvald/wire"
)

// client is the other end of a connection: it writes whole frames and keeps
// every frame that it is sent, in order.
type client struct {
	t    testing.TB
	conn io.ReadWriteCloser
	pipe *pipe // nil over a socket

	mu      sync.Mutex
	arrived *sync.Cond
	frames  []received
	ended   bool // the server has closed the connection

	requests int // ids count from 1
}

// received is one frame of the server.
type received struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *wire.Error     `json:"error"`
	raw    string
}

func newClient(t testing.TB, conn io.ReadWriteCloser) *client {
	c := &client{t: t, conn: conform.Watch(t, conn)} // what the server sends is of the schema, in every test
	c.arrived = sync.NewCond(&c.mu)
	return c
}

// read takes frames until the connection ends.
func (c *client) read() {
	lines := bufio.NewReaderSize(c.conn, 1<<16)
	for {
		line, err := lines.ReadString('\n')
		if err == nil {
			f := received{raw: strings.TrimSuffix(line, "\n")}
			if bad := json.Unmarshal([]byte(line), &f); bad != nil {
				c.t.Errorf("the server sent a frame that is no JSON: %v: %.200q", bad, line)
			}
			c.mu.Lock()
			c.frames = append(c.frames, f)
		} else {
			c.mu.Lock()
			c.ended = true
		}
		c.arrived.Broadcast()
		c.mu.Unlock()
		if err != nil {
			if line != "" {
				c.t.Errorf("the server sent a piece of a frame: %.200q", line)
			}
			return
		}
	}
}

// write sends lines as they are.
func (c *client) write(lines ...string) {
	c.t.Helper()
	if _, err := io.WriteString(c.conn, strings.Join(lines, "\n")+"\n"); err != nil {
		c.t.Errorf("write: %v", err)
	}
}

// line is a request with the next id; params may be a string of JSON or a
// value that encodes to an object.
func (c *client) line(method string, params any) (id, line string) {
	c.t.Helper()
	c.requests++
	text, ok := params.(string)
	if !ok {
		b, err := wire.Marshal(params)
		if err != nil {
			c.t.Fatal(err)
		}
		text = string(b)
	}
	id = fmt.Sprint(c.requests)
	return id, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, text)
}

// send sends a request and gives its id.
func (c *client) send(method string, params any) (id string) {
	c.t.Helper()
	id, line := c.line(method, params)
	c.write(line)
	return id
}

// call sends a request and waits for its answer.
func (c *client) call(method string, params any) received {
	c.t.Helper()
	return c.answer(c.send(method, params))
}

// must is call for a request that must be answered with a result, which it
// decodes into result; nil where nobody wants it.
func (c *client) must(method string, params, result any) {
	c.t.Helper()
	c.decode(c.call(method, params), result)
}

func (c *client) decode(f received, result any) {
	c.t.Helper()
	if f.Error != nil {
		c.t.Fatalf("refused: %s", f.raw)
	}
	if result == nil {
		return
	}
	if err := json.Unmarshal(f.Result, result); err != nil {
		c.t.Fatalf("%v: %s", err, f.raw)
	}
}

// refused is call for a request that must be refused, and gives the error.
func (c *client) refused(method string, params any) *wire.Error {
	c.t.Helper()
	f := c.call(method, params)
	if f.Error == nil {
		c.t.Fatalf("%s was not refused: %s", method, f.raw)
	}
	return f.Error
}

// answer waits for the answer to a request.
func (c *client) answer(id string) received {
	c.t.Helper()
	return c.next("the answer to "+id, func(f received) bool { return f.Method == "" && string(f.ID) == id })
}

// event waits for the first notification or request with this method whose
// frame holds every one of the texts.
func (c *client) event(method string, holds ...string) received {
	c.t.Helper()
	return c.next(method, func(f received) bool { return f.Method == method && holdsAll(f.raw, holds) })
}

func holdsAll(text string, parts []string) bool {
	return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(text, part) })
}

// next waits for the first frame, of all that ever come, that is wanted.
func (c *client) next(what string, wanted func(received) bool) received {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for seen := 0; ; {
		for ; seen < len(c.frames); seen++ {
			if wanted(c.frames[seen]) {
				return c.frames[seen]
			}
		}
		if c.ended {
			c.t.Fatalf("the connection ended without %s", what)
		}
		c.arrived.Wait()
	}
}

// all are the frames so far.
func (c *client) all() []received {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.frames)
}

// heard counts the frames so far with this method that hold all the texts.
func (c *client) heard(method string, holds ...string) (n int) {
	for _, f := range c.all() {
		if f.Method == method && holdsAll(f.raw, holds) {
			n++
		}
	}
	return n
}

// end waits until the server has closed the connection.
func (c *client) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.ended {
		c.arrived.Wait()
	}
}

// hangUp closes the connection.
func (c *client) hangUp() {
	if err := c.conn.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		c.t.Errorf("close: %v", err)
	}
}

// hello makes the handshake; capabilities are members of approvald's own.
func (c *client) hello(capabilities ...string) {
	c.t.Helper()
	c.greet(fmt.Sprintf(`{"approvald":{%s}}`, strings.Join(capabilities, ",")))
}

func (c *client) greet(capabilities string) {
	c.t.Helper()
	c.must(wire.MethodInitialize, `{"clientInfo":{"name":"tester","version":"1"},"capabilities":`+capabilities+`}`, nil)
	c.write(`{"jsonrpc":"2.0","method":"initialized"}`)
}

// command is a commandId that was not used before.
var commandNumbers = struct {
	sync.Mutex
	n uint64
}{}

func command() string {
	commandNumbers.Lock()
	defer commandNumbers.Unlock()
	commandNumbers.n++
	return numbered(1<<48 + commandNumbers.n).String()
}

// start starts a session; members are further ones of the params.
func (c *client) start(members ...string) (session string) {
	c.t.Helper()
	var result wire.SessionStartResult
	c.must(wire.MethodSessionStart, startParams(members...), &result)
	return result.Session.SessionID
}

func startParams(members ...string) string {
	return "{" + strings.Join(append([]string{fmt.Sprintf(`"commandId":%q`, command())}, members...), ",") + "}"
}

// open opens an approval of a tool call, which waits for a reviewer.
func (c *client) open(session string, members ...string) (id string) {
	c.t.Helper()
	var result wire.ApprovalOpenResult
	c.must(wire.MethodApprovalOpen, openParams(session, members...), &result)
	return result.ApprovalID
}

func openParams(session string, members ...string) string {
	return "{" + strings.Join(append([]string{fmt.Sprintf(
		`"commandId":%q,"sessionId":%q,"toolCallId":"call","toolName":"search","rawArgs":"{}","reason":"because","subject":{"kind":"tool"}`,
		command(), session)}, members...), ",") + "}"
}

func decideParams(session, id string, choice wire.ChoiceID) string {
	return fmt.Sprintf(`{"commandId":%q,"sessionId":%q,"approvalId":%q,"requirementId":{"approvalId":%q,"sourceIndex":0},"choiceId":%q}`,
		command(), session, id, id, choice)
}

// choose decides an approval.
func (c *client) choose(session, id string, choice wire.ChoiceID) {
	c.t.Helper()
	c.must(wire.MethodApprovalDecide, decideParams(session, id, choice), nil)
}

func inSession(session string, members ...string) string {
	return "{" + strings.Join(append([]string{fmt.Sprintf(`"sessionId":%q`, session)}, members...), ",") + "}"
}

// subscribe subscribes to a session.
func (c *client) subscribe(session string, members ...string) {
	c.t.Helper()
	c.must(wire.MethodViewSubscribe, inSession(session, members...), nil)
}

// page reads a whole view by pages of this many events.
func (c *client) page(session string, limit int) (events []wire.ViewEvent) {
	c.t.Helper()
	cursor := ""
	for {
		var result wire.ViewPageResult
		params := inSession(session, fmt.Sprintf(`"limit":%d`, limit))
		if cursor != "" {
			params = inSession(session, fmt.Sprintf(`"limit":%d,"cursor":%q`, limit, cursor))
		}
		c.must(wire.MethodViewPage, params, &result)
		events = append(events, result.Events...)
		if result.NextCursor == nil {
			return events
		}
		cursor = *result.NextCursor
	}
}
