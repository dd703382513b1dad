package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/approvald/approvald/wire"
)

// step is one thing that happens to a subscription, n times.
type step struct {
	what string
	n    int
}

// Whatever happens to the connection and however slow the reader is, it sees
// every event once and in order.
func TestSubscriptionsNeitherLoseNorRepeatEvents(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(rapid.OneOf(
			rapid.Custom(func(rt *rapid.T) step { return step{"append", rapid.IntRange(1, 5).Draw(rt, "records")} }),
			rapid.Custom(func(rt *rapid.T) step { return step{"read", rapid.IntRange(1, 50).Draw(rt, "events")} }),
			rapid.SampledFrom([]step{{"hang up", 1}, {"settle", 1}, {"append", bufferEvents / 2}}),
		), 1, 20).Draw(rt, "steps")
		var failure error
		synctest.Test(t, func(t *testing.T) { failure = runSteps(t.Context(), steps) })
		if failure != nil {
			rt.Fatal(failure)
		}
	})
}

// runSteps plays steps, then reads to the end.
func runSteps(ctx context.Context, steps []step) error {
	d := &logDaemon{pos: map[string]int{}}
	defer synctest.Wait()
	defer d.hangUp()
	d.append(3)
	c, err := Connect(ctx, d.dial, again)
	if err != nil {
		return err
	}
	defer c.Close()
	s, err := c.Subscribe(ctx, "s1", Start())
	if err != nil {
		return err
	}
	seen := 0
	read := func(n int) error {
		for want := d.cursors(); n > 0 && seen < len(want); n-- {
			e, err := s.Next(ctx)
			if err != nil {
				return err
			}
			if e.Cursor != want[seen] {
				return fmt.Errorf("event %d is %s, want %s", seen, e.Cursor, want[seen])
			}
			seen++
		}
		return nil
	}
	for _, step := range append(steps, step{"read", math.MaxInt}) {
		switch step.what {
		case "append":
			d.append(step.n)
		case "hang up":
			d.hangUp()
		case "settle": // what is on its way arrives, a reconnect too
			time.Sleep(time.Minute) // of fake time
			synctest.Wait()
		case "read":
			if err := read(step.n); err != nil {
				return err
			}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, time.Hour) // of fake time
	defer cancel()
	if e, err := s.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("behind the last event: %s, %w", e.Cursor, err)
	}
	return nil
}

// logDaemon is a daemon with one session and no memory limits: it serves
// initialize, view/subscribe and view/page (in short pages) and sends every
// event to the current connection.
type logDaemon struct {
	mu   sync.Mutex
	log  []wire.ViewEvent
	at   []string       // cursors of log
	pos  map[string]int // the reverse
	seq  int            // of the last record
	conn net.Conn
	out  chan string // to the current connection; nil before it subscribes
}

// cursors are those of all events so far, in order.
func (d *logDaemon) cursors() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.at
}

// append adds n records of one to three events.
func (d *logDaemon) append(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for range n {
		d.seq++
		for i := range 1 + d.seq%3 {
			var e wire.ViewEvent
			if err := json.Unmarshal([]byte(event(d.seq, i)), &e); err != nil {
				panic(err)
			}
			cursor := fmt.Sprintf("v%d.%d", d.seq, i)
			d.pos[cursor] = len(d.at)
			d.log, d.at = append(d.log, e), append(d.at, cursor)
			if d.out != nil {
				d.out <- strings.TrimPrefix(strings.TrimSpace(live(d.seq, i)), "< ")
			}
		}
	}
}

// hangUp ends the current connection.
func (d *logDaemon) hangUp() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.conn != nil {
		_ = d.conn.Close() // a pipe's never fails
	}
	d.conn, d.out = nil, nil
}

func (d *logDaemon) dial(context.Context) (io.ReadWriteCloser, error) {
	near, far := net.Pipe()
	out := make(chan string, 1<<16) // large enough for every flood: append never waits
	d.hangUp()
	d.mu.Lock()
	d.conn = far
	d.mu.Unlock()
	ended := make(chan struct{})
	go func() { // the writer
		for {
			select {
			case frame := <-out:
				if _, err := io.WriteString(far, frame+"\n"); err != nil {
					return
				}
			case <-ended:
				return
			}
		}
	}()
	go func() { // the reader
		defer close(ended)
		for in := bufio.NewReader(far); ; {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return
			}
			var params wire.ViewPageParams
			frame := wire.Request{Params: &params}
			if err := json.Unmarshal(line, &frame); err != nil {
				return
			}
			if result := d.answer(frame.Method, params, out); result != nil {
				b, err := wire.Marshal(wire.Response{JSONRPC: wire.Version, ID: frame.ID, Result: result})
				if err != nil {
					panic(err)
				}
				out <- string(b)
			}
		}
	}()
	return near, nil
}

// answer serves one request; nil for a notification.
func (d *logDaemon) answer(method string, p wire.ViewPageParams, out chan string) any {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch method {
	case wire.MethodInitialize:
		return wire.InitializeResult{}
	case wire.MethodViewSubscribe:
		d.out = out
		return wire.ViewSubscribeResult{}
	case wire.MethodViewPage:
		first := 0
		if i, ok := d.pos[p.Cursor]; ok {
			first = i + 1
		}
		last := min(first+100, len(d.log))
		page := wire.ViewPageResult{Events: d.log[first:last]}
		if last < len(d.log) {
			page.NextCursor = &d.at[last-1]
		}
		return page
	}
	return nil
}

func TestPlacesAdvanceOnlyForward(t *testing.T) {
	e := func(seq uint64, cursor string) Event { return Event{Cursor: cursor, sequence: seq} }
	var p place
	for i, step := range []struct {
		e    Event
		want bool
	}{
		{e(2, "a"), true}, {e(2, "a"), false}, {e(2, "b"), true}, {e(2, "a"), false},
		{e(1, "c"), false}, {e(3, "d"), true}, {e(2, "b"), false}, {e(3, "d"), false},
	} {
		if got := p.advance(step.e); got != step.want {
			t.Errorf("step %d, event %s: %v, want %v", i, step.e.Cursor, got, step.want)
		}
	}
	from := place{cursor: "x"}
	if from.advance(e(9, "x")) {
		t.Error("the event that a subscription begins after is not in it")
	}
}
