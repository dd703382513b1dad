package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/approvald/approvald/wire"
)

// A scripted daemon: one script a connection, one frame a line.
//
//	> {…}    a frame that the client must send next, compared as JSON
//	< {…}    a frame to send, byte for byte
//	wait     until everything else in the bubble is blocked
//	close    end the connection
//
// A string "$name" stands for any JSON value, bound at its first use and the
// same afterwards, also on later connections. A script that ends without close
// expects nothing more than the end of the connection. The script "refuse"
// fails to connect.
type peer struct {
	t        *testing.T
	scripts  []string
	next     int
	finished atomic.Int32
	bound    map[string]any
}

// hello is a script's handshake.
const hello = `
	> {"jsonrpc":"2.0","id":"$h","method":"initialize","params":"$hello"}
	< {"jsonrpc":"2.0","id":"$h","result":{"serverInfo":{"name":"approvald","version":"9"},"approvald":{"protocol":1,"role":"both"}}}
	> {"jsonrpc":"2.0","method":"initialized"}
`

// bubble runs a test in a synctest bubble, where time is fake and a goroutine
// that is left over fails the test. The scripts must have been played to their
// ends by then.
func bubble(t *testing.T, scripts []string, test func(t *testing.T, dial Dialer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := &peer{t: t, scripts: scripts, bound: map[string]any{}}
		t.Cleanup(func() {
			synctest.Wait()
			if n := int(p.finished.Load()); n != len(scripts) {
				t.Errorf("%d of %d connections were played to the end", n, len(scripts))
			}
		})
		test(t, p.dial)
	})
}

// connect is Connect that must succeed; the client is closed with the test.
func connect(t *testing.T, dial Dialer, o Options) *Client {
	t.Helper()
	c, err := Connect(t.Context(), dial, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func (p *peer) dial(context.Context) (io.ReadWriteCloser, error) {
	if p.next == len(p.scripts) {
		p.t.Errorf("connection %d is not in the script", p.next+1)
		// A refusal for good, so that the client does not try for ever.
		return nil, wire.NewError(wire.CodeInternal, "no such script")
	}
	p.next++
	script := p.scripts[p.next-1]
	if script == "refuse" {
		p.finished.Add(1)
		return nil, errors.New("connection refused")
	}
	near, far := net.Pipe()
	n := p.next
	go func() {
		if err := p.play(far, script); err != nil {
			p.t.Errorf("connection %d: %v", n, errors.Join(err, far.Close()))
			return
		}
		p.finished.Add(1)
	}()
	return near, nil
}

func (p *peer) play(conn net.Conn, script string) error {
	in := bufio.NewReader(conn)
	for line := range strings.Lines(script) {
		op, frame, _ := strings.Cut(strings.TrimSpace(line), " ")
		var err error
		switch op {
		case "", "//":
		case "<":
			_, err = fmt.Fprintf(conn, "%s\n", p.fill(frame))
		case ">":
			err = p.expect(in, frame)
		case "wait":
			synctest.Wait()
		case "close":
			return conn.Close()
		default:
			err = errors.New("unknown operation")
		}
		if err != nil {
			return fmt.Errorf("at %s: %w", excerpt([]byte(strings.TrimSpace(line))), err)
		}
	}
	if extra, err := in.ReadBytes('\n'); err == nil {
		return fmt.Errorf("after the script the client sent %s", extra)
	}
	return conn.Close()
}

func (p *peer) expect(in *bufio.Reader, want string) error {
	line, err := in.ReadBytes('\n')
	if err != nil {
		return err
	}
	var wantValue, gotValue any
	if err := json.Unmarshal([]byte(want), &wantValue); err != nil {
		return err
	}
	if err := json.Unmarshal(line, &gotValue); err != nil {
		return err
	}
	if !p.match(wantValue, gotValue) {
		return fmt.Errorf("the client sent %s", line)
	}
	return nil
}

// match compares as JSON and binds placeholders.
func (p *peer) match(want, got any) bool {
	switch want := want.(type) {
	case string:
		if !strings.HasPrefix(want, "$") {
			return want == got
		}
		if bound, ok := p.bound[want]; ok && want != "$h" {
			return reflect.DeepEqual(bound, got)
		}
		p.bound[want] = got
		return true
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok || len(got) != len(want) {
			return false
		}
		for k := range want {
			if _, has := got[k]; !has || !p.match(want[k], got[k]) {
				return false
			}
		}
		return true
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) != len(want) {
			return false
		}
		for i := range want {
			if !p.match(want[i], got[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(want, got)
}

// fill replaces the bound placeholders of a frame, leaving its other bytes alone.
func (p *peer) fill(frame string) string {
	for name, value := range p.bound {
		b, err := json.Marshal(value)
		if err != nil {
			p.t.Error(err)
		}
		frame = strings.ReplaceAll(frame, `"`+name+`"`, string(b))
	}
	return frame
}
