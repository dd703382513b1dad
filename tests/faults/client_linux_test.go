package faults

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/approvald/approvald/wire"
)

// client is a host's connection to a daemon that may fail at any time.
type client struct {
	t     *testing.T
	conn  net.Conn
	lines chan string // what it is sent; closed at the end
	last  int
	over  []string // what it passed over
}

// dial connects; nil where nobody is there any more.
func dial(t *testing.T, socket string) *client {
	t.Helper()
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return nil
	}
	t.Cleanup(func() { _ = conn.Close() })
	c := &client{t: t, conn: conn, lines: make(chan string, 1000)}
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
	if c.call(wire.MethodInitialize, `{"clientInfo":{"name":"faults","version":"1"},"capabilities":{"approvald":{"interactive":false}}}`) == nil {
		return nil
	}
	if _, err := io.WriteString(conn, `{"jsonrpc":"2.0","method":"initialized"}`+"\n"); err != nil {
		return nil
	}
	return c
}

// reply is what a command was answered.
type reply struct {
	Result json.RawMessage `json:"result"`
	Error  *wire.Error     `json:"error"`
}

func (r *reply) String() string {
	switch {
	case r == nil:
		return "nothing: the connection broke"
	case r.Error != nil:
		return fmt.Sprintf("%d %s (retryable %t)", r.Error.Code, r.Error.Message, r.Error.Data.Retryable)
	}
	return string(r.Result)
}

// accepted reports whether a command is said to have taken effect.
func (r *reply) accepted() bool { return r != nil && r.Error == nil }

// unknown reports whether a command may or may not have taken effect, for all
// that its caller was told.
func (r *reply) unknown() bool {
	return r == nil || r.Error != nil && r.Error.Data.Retryable
}

// call sends a request and waits for the answer; nil where none comes.
func (c *client) call(method, params string) *reply {
	c.last++
	if _, err := fmt.Fprintf(c.conn, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", c.last, method, params); err != nil {
		return nil
	}
	line := c.await(func(line string) bool {
		rest, ok := strings.CutPrefix(line, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,`, c.last))
		return ok && !strings.HasPrefix(rest, `"method"`)
	})
	if line == "" {
		return nil
	}
	r := new(reply)
	if err := json.Unmarshal([]byte(line), r); err != nil {
		c.t.Errorf("%v: %s", err, line)
	}
	return r
}

// await waits for a line, or until the connection ends: "".
func (c *client) await(wanted func(line string) bool) string {
	for i, line := range c.over {
		if wanted(line) {
			c.over = append(c.over[:i:i], c.over[i+1:]...)
			return line
		}
	}
	hang := time.NewTimer(patience)
	defer hang.Stop()
	for {
		select {
		case line, ok := <-c.lines:
			if !ok || wanted(line) {
				return line
			}
			c.over = append(c.over, line)
		case <-hang.C:
			c.t.Errorf("what is awaited does not come; there came\n%s", strings.Join(c.over, ""))
			return ""
		}
	}
}

// persistence waits for what is told of the store of a workspace.
func (c *client) persistence() string {
	return c.await(func(line string) bool { return strings.Contains(line, `"policyPersistence"`) })
}

// member cuts the first string member of a name out of JSON.
func member(raw []byte, name string) string {
	_, rest, _ := strings.Cut(string(raw), `"`+name+`":"`)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

const session = "018f6a2a-0000-7000-8000-0000000000ff"

func commandID(n int) string { return fmt.Sprintf("018f6a2a-0000-7000-8000-%012x", n) }

// talk is what a client wants of a daemon, in this order. Commands have the
// same ids whenever they are sent.
type talk struct {
	place
	replies [talkLength]*reply // the last to each command that was not unknown
	given   string             // the approval that is decided
}

// decided is the command that decides, for the workspace and for good.
const (
	talkLength = 4
	decided    = 2
)

// send sends command n of the talk, and reports whether there is more to say:
// the outcome is known.
func (k *talk) send(c *client, n int) bool {
	method, params := k.request(n)
	r := c.call(method, params)
	if r.unknown() {
		k.check(c, n, r)
		return false
	}
	if before := k.replies[n]; before != nil && before.String() != r.String() {
		c.t.Errorf("command %d was answered\n%s\nand later\n%s", n, before, r)
	}
	k.replies[n] = r
	if n == 1 {
		k.given = member(r.Result, "approvalId")
	}
	return true
}

func (k *talk) request(n int) (method, params string) {
	const open = `{"commandId":%q,"sessionId":%q,"toolCallId":"call","toolName":"fetch","rawArgs":"{}","reason":"because",` +
		`"subject":{"kind":"network","host":%q,"port":443,"protocol":"https"}}`
	switch n {
	case 0:
		return wire.MethodSessionStart, fmt.Sprintf(`{"commandId":%q,"sessionId":%q,"workspaceRoot":%q}`, commandID(n), session, k.work)
	case 1:
		return wire.MethodApprovalOpen, fmt.Sprintf(open, commandID(n), session, "docs.example.org")
	case 2:
		return wire.MethodApprovalDecide, fmt.Sprintf(
			`{"commandId":%q,"sessionId":%q,"approvalId":%q,"requirementId":{"approvalId":%[3]q,"sourceIndex":0},"choiceId":"allow_local_network"}`,
			commandID(n), session, k.given)
	default:
		return wire.MethodApprovalOpen, fmt.Sprintf(open, commandID(n), session, "example.com")
	}
}

// check holds a caller whose command was not answered, or refused, to have been
// told what to do.
func (k *talk) check(c *client, n int, r *reply) {
	if r != nil && (r.Error.Code != wire.CodeInternal || !strings.HasSuffix(r.Error.Message, "Retry with the same commandId.")) &&
		r.Error.Code != wire.CodeShuttingDown {
		c.t.Errorf("command %d was answered %s", n, r)
	}
}
