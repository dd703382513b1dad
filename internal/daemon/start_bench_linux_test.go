package daemon_test

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/recovery"
	"github.com/approvald/approvald/internal/rpc"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/tests/bench/yardstick"
	"github.com/approvald/approvald/wire"
)

// A long log has a hundred sessions, of which one record in a hundred opened something that is
// still pending. With APPROVALD_BENCH_SCALE=0.2 it is as long as perf §9 wants.
const (
	longSessions = 100
	longRecords  = 200_000
)

// BenchmarkStart starts a daemon on a long log, up to its first answer. The yardstick reads the
// file. Warm, it is in the page cache; cold, it is not (perf §9, T12 and T14). What the daemon
// recovers meanwhile is not waited for.
func BenchmarkStart(b *testing.B) {
	state := longLog(b)
	path := filepath.Join(state, "sessions.db")
	for _, cache := range []struct {
		name string
		cold bool
	}{{"warm", false}, {"cold", true}} {
		b.Run("cache="+cache.name+"/v=approvald", func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				copied := b.TempDir()
				copyFile(b, path, filepath.Join(copied, "sessions.db"), cache.cold)
				b.StartTimer()
				startOn(b, copied)
				if err := os.RemoveAll(copied); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
		b.Run("cache="+cache.name+"/v=read", func(b *testing.B) {
			copied := filepath.Join(b.TempDir(), "sessions.db")
			copyFile(b, path, copied, cache.cold)
			for b.Loop() {
				b.StopTimer()
				if cache.cold {
					evict(b, copied)
				}
				b.StartTimer()
				readFile(b, copied)
			}
		})
	}
}

// startOn starts a daemon and stops the timer with its first answer.
func startOn(b *testing.B, state string) {
	d, err := daemon.Open(daemon.Config{
		StateDir: state, RuntimeDir: filepath.Join(state, "run"),
		Identity:   rpc.Identity{Version: "bench", Home: state, OS: "linux", Arch: "amd64"},
		NewID:      daemon.Minter(rand.Reader, sequencer.SystemClock{}),
		Clock:      sequencer.SystemClock{},
		MaxPending: 10_000_000,
	})
	if err != nil {
		b.Fatal(err)
	}
	ours, its := net.Pipe()
	served := make(chan struct{})
	go func() { defer close(served); d.ServeStream("bench", wire.RoleBoth, its) }()
	c := client{yardstick.NewClient(ours)}
	c.call(b, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"bench","version":"1"}}}`, nil)
	b.StopTimer()
	if err := ours.Close(); err != nil {
		b.Fatal(err)
	}
	<-served
	if err := d.Crash(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkPendingHeap is what a pending approval costs in memory before its session is loaded
// (perf §9, T15).
func BenchmarkPendingHeap(b *testing.B) {
	state := longLog(b)
	for b.Loop() {
		before := heapInUse()
		outlined := outlineOf(b, filepath.Join(state, "sessions.db"))
		pending := 0
		for s := range outlined.State.Sessions() {
			pending += s.Pending
		}
		b.ReportMetric(float64(heapInUse()-before)/float64(pending), "B/pending")
		runtime.KeepAlive(outlined)
	}
}

func readFile(b *testing.B, path string) {
	file, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	buf := make([]byte, 1<<20)
	for {
		if _, err := file.Read(buf); err == io.EOF {
			return
		} else if err != nil {
			b.Fatal(err)
		}
	}
}

func copyFile(b *testing.B, from, to string, cold bool) {
	b.Helper()
	in, err := os.Open(from)
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	defer out.Close()
	if _, err := io.Copy(out, in); err != nil {
		b.Fatal(err)
	}
	if err := out.Sync(); err != nil { // or the start would
		b.Fatal(err)
	}
	if cold {
		evict(b, to)
	}
}

// evict takes a file out of the page cache.
func evict(b *testing.B, path string) {
	b.Helper()
	file, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	if err := file.Sync(); err != nil {
		b.Fatal(err)
	}
	if err := unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		b.Fatal(err)
	}
}

// longLog is a state directory with a log of records like those that a daemon has just made.
func longLog(b *testing.B) string {
	b.Helper()
	started, opened, settled := sampleRecords(b)
	state := b.TempDir()
	l, err := log.Open(filepath.Join(state, "sessions.db"))
	if err != nil {
		b.Fatal(err)
	}
	w := &longWriter{b: b, log: l, last: map[approval.ID]uint64{}}
	n := yardstick.Scaled(longRecords, 1000)
	for i := range longSessions {
		w.add(sessionID(i), approval.ID{}, started)
	}
	for i := 0; w.seq < uint64(n); i++ {
		session, id := sessionID(i%longSessions), approval.ID{0: 0x01, 6: 0x70, 8: 0x80}
		binary.BigEndian.PutUint32(id[12:], uint32(i))
		body := *opened
		w.add(session, id, &body)
		if i%50 == 0 { // of a hundred records
			continue
		}
		end := *settled
		end.Opened = w.seq
		w.add(session, id, &end)
	}
	w.flush()
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	return state
}

func sessionID(i int) approval.ID { return approval.ID{0: 0x01, 6: 0x70, 8: 0x80, 15: byte(i + 1)} }

type longWriter struct {
	b      *testing.B
	log    *log.Log
	chain  record.Chain
	last   map[approval.ID]uint64
	seq    uint64
	values [][]byte
}

func (w *longWriter) add(session, id approval.ID, body record.Body) {
	w.seq++
	command := approval.ID{0: 0x02, 6: 0x70, 8: 0x80}
	binary.BigEndian.PutUint64(command[8:], w.seq|1<<63)
	v, err := record.Encode(record.Header{
		Session: session, Approval: id, Command: approval.CommandIDFromBits(command, false),
		At: time.UnixMilli(1_767_000_000_000 + int64(w.seq)).UTC(), Prev: w.last[session],
	}, body, w.chain)
	if err != nil {
		w.b.Fatal(err)
	}
	w.chain, w.last[session] = record.ChainOf(v), w.seq
	if w.values = append(w.values, v); len(w.values) == 1000 {
		w.flush()
	}
}

func (w *longWriter) flush() {
	if len(w.values) == 0 {
		return
	}
	if _, err := w.log.Append(w.values); err != nil {
		w.b.Fatal(err)
	}
	w.values = w.values[:0]
}

// sampleRecords are the bodies that a daemon writes for a session, an approval and a decision.
func sampleRecords(b *testing.B) (started *record.SessionStarted, opened *record.ApprovalOpened, settled *record.ApprovalSettled) {
	b.Helper()
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
	err = l.Scan(1, func(seq uint64, value []byte) error {
		r, err := record.Decode(seq, value)
		switch body := r.Body.(type) {
		case *record.SessionStarted:
			started = body
		case *record.ApprovalOpened:
			opened = body
		case *record.ApprovalSettled:
			settled = body
		}
		return err
	})
	if err == nil && (started == nil || opened == nil || settled == nil) {
		err = fmt.Errorf("%d records, and not one of each kind", l.Head())
	}
	if err != nil {
		b.Fatal(err)
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	return started, opened, settled
}

func outlineOf(b *testing.B, path string) recovery.Outlined {
	b.Helper()
	l, err := log.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	outlined, err := recovery.Outline(l)
	if err != nil {
		b.Fatal(err)
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	return outlined
}
