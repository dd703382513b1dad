package crash

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/approvald/approvald/wire"
)

// client is one connection to a daemon that may die at any time.
type client struct {
	conn  net.Conn
	lines *bufio.Reader
	last  int // id of the last request
}

// reply is the answer to one request: a result or an error, as it was sent.
type reply struct {
	result json.RawMessage
	error  *wire.Error
	text   string // of the result or of the error
}

// dial connects; the error says that the daemon is gone.
func dial(at place, interactive bool) (*client, error) {
	conn, err := net.Dial("unix", at.socket())
	if err != nil {
		return nil, err
	}
	return greet(conn, interactive)
}

// greet goes through the handshake.
func greet(conn net.Conn, interactive bool) (*client, error) {
	c := &client{conn: conn, lines: bufio.NewReaderSize(conn, 1<<16)}
	hello := fmt.Sprintf(`{"clientInfo":{"name":"crash","version":"1"},"capabilities":{"approvald":{"interactive":%t,"allSessions":%[1]t,"turns":true}}}`, interactive)
	if _, err := c.call(request{wire.MethodInitialize, hello}); err != nil {
		return nil, err
	}
	_, err := io.WriteString(conn, `{"jsonrpc":"2.0","method":"initialized"}`+"\n")
	return c, err
}

type request struct{ method, params string }

// call sends requests in one write and waits for their answers. The error says
// that the daemon is gone; the answers that came before it are given.
func (c *client) call(requests ...request) (map[int]reply, error) {
	first := c.last + 1
	var frames strings.Builder
	for _, r := range requests {
		c.last++
		fmt.Fprintf(&frames, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", c.last, r.method, r.params)
	}
	replies := map[int]reply{}
	_, writeErr := io.WriteString(c.conn, frames.String())
	for len(replies) < len(requests) {
		line, err := c.lines.ReadBytes('\n')
		if err != nil {
			return replies, err
		}
		var f struct {
			ID     *int            `json:"id"`
			Method string          `json:"method"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal(line, &f); err != nil {
			return replies, fmt.Errorf("%w: %s", err, line)
		}
		if f.Method != "" || f.ID == nil {
			continue
		}
		r := reply{result: f.Result, text: string(f.Result)}
		if f.Error != nil {
			r.text, r.error = string(f.Error), new(wire.Error)
			if err := json.Unmarshal(f.Error, r.error); err != nil {
				return replies, err
			}
		}
		replies[*f.ID-first] = r
	}
	return replies, writeErr
}
