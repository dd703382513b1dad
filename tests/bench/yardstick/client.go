package yardstick

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"time"
)

// Client sends prepared requests and looks at as little of the answers as can be, so that what is
// measured is the server. One goroutine uses it.
type Client struct {
	conn net.Conn
	in   *bufio.Reader
}

// NewClient returns a client on a connection, which stays the caller's to close. Its answers are
// up to 64 KiB long.
func NewClient(conn net.Conn) *Client {
	return &Client{conn: conn, in: bufio.NewReaderSize(conn, 64<<10)}
}

// Widen has it take answers of up to 8 MiB from now on. No answer may be under way.
func (c *Client) Widen() { c.in = bufio.NewReaderSize(c.conn, 8<<20) }

// Exchange sends requests, each a line, keeping up to inFlight of them unanswered, and returns
// when all are answered. The server answers in the order sent. answered, if not nil, is given the
// line that answers request i, valid until it returns. An answer that is an error ends the
// exchange, and is what Exchange returns.
func (c *Client) Exchange(requests [][]byte, inFlight int, answered func(i int, line []byte) error) ([]time.Duration, error) {
	took := make([]time.Duration, len(requests))
	sentAt := make([]time.Time, len(requests))
	sent := 0
	var out []byte
	for i := range requests {
		if i == sent || c.in.Buffered() == 0 {
			// Nothing can be read without waiting: send what the answers so far made room for.
			out = out[:0]
			for now := time.Now(); sent < len(requests) && sent < i+inFlight; sent++ {
				sentAt[sent] = now
				out = append(out, requests[sent]...)
			}
			if len(out) > 0 {
				if _, err := c.conn.Write(out); err != nil {
					return nil, err
				}
			}
		}
		line, err := c.answer()
		if err != nil {
			return nil, err
		}
		took[i] = time.Since(sentAt[i])
		if answered != nil {
			if err := answered(i, line); err != nil {
				return nil, err
			}
		}
	}
	return took, nil
}

// Call sends one request, for what has to happen before a measurement.
func (c *Client) Call(request string) (answer []byte, err error) {
	_, err = c.Exchange([][]byte{[]byte(request + "\n")}, 1, func(_ int, line []byte) error {
		answer = bytes.Clone(line)
		return nil
	})
	return answer, err
}

// Notify sends a notification.
func (c *Client) Notify(notification string) error {
	_, err := c.conn.Write([]byte(notification + "\n"))
	return err
}

// answer reads up to the next line that answers a request.
func (c *Client) answer() ([]byte, error) {
	for {
		line, err := c.in.ReadSlice('\n')
		switch {
		case err != nil:
			return nil, err
		case bytes.Contains(line, []byte(`"result":`)):
			return line, nil
		case bytes.Contains(line, []byte(`"error":`)):
			return nil, fmt.Errorf("the server refused a request: %s", line)
		}
	}
}
