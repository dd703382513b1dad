package daemon_test

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"path/filepath"
	"testing"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/rpc"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/tests/bench/yardstick"
	"github.com/approvald/approvald/wire"
)

// BenchmarkListSessions lists the sessions of a daemon that has so many and has loaded none: an op
// is a page of fifty, one behind the other through the whole list.
func BenchmarkListSessions(b *testing.B) {
	for _, sessions := range []int{200, 100_000} {
		b.Run(fmt.Sprintf("sessions=%d", sessions), func(b *testing.B) {
			d := openDaemon(b, manySessions(b, yardstick.Scaled(sessions, 200)))
			c := d.dial(b, "reviewer")
			cursor := ""
			listPage := func() {
				var page wire.SessionListResult
				c.call(b, fmt.Sprintf(`{"jsonrpc":"2.0","id":4,"method":"session/list","params":{"cursor":%q}}`, cursor), &page)
				if cursor = ""; page.NextCursor != nil {
					cursor = *page.NextCursor
				}
			}
			listPage() // which makes the order
			for b.Loop() {
				listPage()
			}
			if err := d.Crash(); err != nil { // nobody is to be told
				b.Fatal(err)
			}
		})
	}
}

// manySessions is a state directory with so many sessions, of one record each.
func manySessions(b *testing.B, n int) (state string) {
	b.Helper()
	started, _, _ := sampleRecords(b)
	state = b.TempDir()
	l, err := log.Open(filepath.Join(state, "sessions.db"))
	if err != nil {
		b.Fatal(err)
	}
	w := &longWriter{b: b, log: l, last: map[approval.ID]uint64{}}
	for i := range n {
		id := approval.ID{0: 0x01, 6: 0x70, 8: 0x80}
		binary.BigEndian.PutUint32(id[12:], uint32(i+1))
		w.add(id, approval.ID{}, started)
	}
	w.flush()
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	return state
}

func openDaemon(b *testing.B, state string) *running {
	b.Helper()
	runtime := filepath.Join(b.TempDir(), "run")
	d, err := daemon.Open(daemon.Config{
		StateDir: state, RuntimeDir: runtime,
		Identity: rpc.Identity{Version: "bench", Home: state, OS: "linux", Arch: "amd64"},
		NewID:    daemon.Minter(rand.Reader, sequencer.SystemClock{}),
		Clock:    sequencer.SystemClock{},
	})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := d.Listen(); err != nil {
		b.Fatal(err)
	}
	return &running{d, filepath.Join(state, "sessions.db"), runtime}
}

// BenchmarkPages lists 10,000 approvals that wait, a thousand a page: an op is all of them. The
// yardstick writes and parses the same bytes over the same kind of socket.
func BenchmarkPages(b *testing.B) {
	d := startDaemon(b)
	waiting := yardstick.Scaled(10_000, 100)
	d.openApprovals(b, waiting)
	c := d.dial(b, "reviewer")
	c.Widen()
	var answers [][]byte
	b.Run("v=approvald", func(b *testing.B) {
		for b.Loop() {
			answers = listPages(b, c, waiting)
		}
	})
	d.close(b)
	b.Run("v=bytes", func(b *testing.B) {
		ours, done := serveAnswers(b, answers)
		c := client{yardstick.NewClient(ours)}
		c.Widen()
		for b.Loop() {
			listPages(b, c, waiting)
		}
		if err := ours.Close(); err != nil {
			b.Fatal(err)
		}
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	})
}

// listPages lists everything that is pending, and gives the answers.
func listPages(b *testing.B, c client, want int) (answers [][]byte) {
	b.Helper()
	seen, cursor := 0, ""
	for more := true; more; {
		answer, err := c.Call(fmt.Sprintf(`{"jsonrpc":"2.0","id":4,"method":"approval/listPending","params":{"cursor":%q}}`, cursor))
		if err != nil {
			b.Fatal(err)
		}
		var page struct {
			Result wire.ApprovalListPendingResult
		}
		if err := json.Unmarshal(answer, &page); err != nil {
			b.Fatal(err)
		}
		answers = append(answers, append(bytes.TrimSuffix(answer, []byte("\n")), '\n'))
		seen += len(page.Result.Approvals)
		if more = page.Result.NextCursor != nil; more {
			cursor = *page.Result.NextCursor
		}
	}
	if seen != want {
		b.Fatalf("%d are listed, want %d", seen, want)
	}
	return answers
}

// serveAnswers serves a connection over a socket with the same answers, in turn.
func serveAnswers(b *testing.B, answers [][]byte) (ours net.Conn, done chan error) {
	b.Helper()
	l, err := net.Listen("unix", filepath.Join(b.TempDir(), "s"))
	if err != nil {
		b.Fatal(err)
	}
	done = make(chan error, 1)
	go func() {
		conn, err := l.Accept()
		if err == nil {
			err = yardstick.ServeAnswers(conn, answers)
		}
		done <- err
	}()
	if ours, err = net.Dial("unix", l.Addr().String()); err != nil {
		b.Fatal(err)
	}
	return ours, done
}
