package daemon_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/rpc"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// config is that of a daemon over a state directory, with ids that count from
// first.
func config(state string, first uint64) daemon.Config {
	return daemon.Config{
		StateDir: state, Clock: sequencer.SystemClock{}, NewID: counted(first),
		Identity: rpc.Identity{Version: "test", Home: state, OS: "linux", Arch: "amd64", Fingerprint: "sha256:00"},
	}
}

func counted(n uint64) func() approval.ID {
	return func() approval.ID {
		n++
		id, err := approval.ParseID(fmt.Sprintf("00000000-0000-7000-8000-%012x", n))
		if err != nil {
			panic(err)
		}
		return id
	}
}

// open opens a daemon that is closed with the test, if nothing else ends it.
func open(t *testing.T, cfg daemon.Config) *daemon.Daemon {
	t.Helper()
	d, err := daemon.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func closed(t *testing.T, d *daemon.Daemon) {
	t.Helper()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

// shortDir is a directory whose path leaves room for the names of sockets.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "approvald") //nolint:usetesting // its path is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// caller is a connection that waits for the answer to each request and passes
// over everything else.
type caller struct {
	t     *testing.T
	conn  io.ReadWriteCloser
	lines chan string // what it is sent, taken at once; closed at the end
	last  int
	over  []string // what it passed over
}

// attach connects over a pipe.
func attach(t *testing.T, d *daemon.Daemon, role wire.Role) *caller {
	t.Helper()
	ours, theirs := net.Pipe()
	go d.ServeStream("host", role, theirs)
	return greeted(t, ours)
}

// dialled connects to a socket.
func dialled(t *testing.T, path string) *caller {
	t.Helper()
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	return greeted(t, conn)
}

func greeted(t *testing.T, conn io.ReadWriteCloser) *caller {
	t.Helper()
	t.Cleanup(func() { _ = conn.Close() })
	c := &caller{t: t, conn: conn, lines: make(chan string, 1000)}
	go func() {
		defer close(c.lines)
		for in := bufio.NewReader(conn); ; {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			c.lines <- line
		}
	}()
	c.must(wire.MethodInitialize, `{"clientInfo":{"name":"tester","version":"1"},"capabilities":{"approvald":{"interactive":false}}}`)
	if _, err := io.WriteString(conn, `{"jsonrpc":"2.0","method":"initialized"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	return c
}

// send sends a request.
func (c *caller) send(method, params string) (id string) {
	c.t.Helper()
	c.last++
	id = fmt.Sprint(c.last)
	if _, err := fmt.Fprintf(c.conn, `{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`+"\n", id, method, params); err != nil {
		c.t.Fatal(err)
	}
	return id
}

// answer waits for the answer to a request; "" where the connection ends first.
func (c *caller) answer(id string) string {
	for line := range c.lines {
		if rest, ok := strings.CutPrefix(line, `{"jsonrpc":"2.0","id":`+id+`,`); ok && !strings.HasPrefix(rest, `"method"`) {
			return line
		}
		c.over = append(c.over, line)
	}
	return ""
}

// must sends a request that must have a result, and gives it.
func (c *caller) must(method, params string) json.RawMessage {
	c.t.Helper()
	result, refusal := c.call(method, params)
	if refusal != nil {
		c.t.Fatalf("%s was refused: %v", method, refusal)
	}
	return result
}

// call sends a request and gives what it was answered.
func (c *caller) call(method, params string) (json.RawMessage, *wire.Error) {
	c.t.Helper()
	line := c.answer(c.send(method, params))
	if line == "" {
		c.t.Fatalf("the connection ended before %s was answered", method)
	}
	var f struct {
		Result json.RawMessage `json:"result"`
		Error  *wire.Error     `json:"error"`
	}
	if err := json.Unmarshal([]byte(line), &f); err != nil {
		c.t.Fatalf("%v: %s", err, line)
	}
	return f.Result, f.Error
}

// member cuts the first string member of a name out of JSON.
func member(raw []byte, name string) string {
	_, rest, _ := strings.Cut(string(raw), `"`+name+`":"`)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

func startParams(n int) string { return fmt.Sprintf(`{"commandId":%q}`, commandID(n)) }

func openParams(n int, session string) string {
	return fmt.Sprintf(`{"commandId":%q,"sessionId":%q,"toolCallId":"call","toolName":"run","rawArgs":"{}","reason":"because","subject":{"kind":"tool"}}`,
		commandID(n), session)
}

func decideParams(n int, session, id string) string {
	return fmt.Sprintf(`{"commandId":%q,"sessionId":%q,"approvalId":%q,"requirementId":{"approvalId":%q,"sourceIndex":0},"choiceId":"allow_once"}`,
		commandID(n), session, id, id)
}

// outcome is what became of an approval; "pending" where nothing has.
func (c *caller) outcome(session, id string) string {
	c.t.Helper()
	raw := c.must(wire.MethodApprovalAwait, fmt.Sprintf(`{"sessionId":%q,"approvalIds":[%q],"waitMs":0}`, session, id))
	if member(raw, "state") == "pending" {
		return "pending"
	}
	return member(raw, "outcome")
}
