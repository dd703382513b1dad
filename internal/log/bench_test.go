package log_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/approvald/approvald/internal/log"
)

// Each benchmark has its yardsticks beside it, to be run together; only ratios
// say anything (perf §9):
//
//	go test -run '^$' -bench . -count 7 ./internal/log | benchstat -
//
// Append is held against YardstickUpdate and YardstickFdatasync (T3, T11),
// Scan against YardstickReadFile (T12, T14), Walk against YardstickCursor
// (T19).

const recordSize = 512

func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("values=%d", n), func(b *testing.B) {
			l := openLog(b)
			group := records(n)
			m := startMeter(b, n)
			for b.Loop() {
				if _, err := l.Append(group); err != nil {
					b.Fatal(err)
				}
			}
			m.report()
		})
	}
}

// BenchmarkYardstickUpdate is one Put in one transaction of a bare bbolt file.
func BenchmarkYardstickUpdate(b *testing.B) {
	db := openBare(b)
	v := make([]byte, recordSize)
	seq := uint64(0)
	m := startMeter(b, 1)
	for b.Loop() {
		seq++
		err := db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(bare).Put(log.Key(seq), v) })
		if err != nil {
			b.Fatal(err)
		}
	}
	m.report()
}

// BenchmarkYardstickFdatasync is the least that makes bytes durable.
func BenchmarkYardstickFdatasync(b *testing.B) {
	for _, n := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("values=%d", n), func(b *testing.B) {
			file, err := os.Create(filepath.Join(b.TempDir(), "raw"))
			if err != nil {
				b.Fatal(err)
			}
			defer file.Close()
			group := make([]byte, n*recordSize)
			m := startMeter(b, n)
			for b.Loop() {
				if _, err := file.Write(group); err != nil {
					b.Fatal(err)
				}
				if err := fdatasync(file); err != nil {
					b.Fatal(err)
				}
			}
			m.report()
		})
	}
}

const scanned = 100_000

func BenchmarkScan(b *testing.B) {
	l := filled(b)
	m := startMeter(b, scanned)
	for b.Loop() {
		err := l.Scan(1, func(_ uint64, v []byte) error {
			if len(v) != recordSize {
				return io.ErrUnexpectedEOF
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	m.report()
}

// BenchmarkYardstickReadFile reads the file that BenchmarkScan scans, warm,
// with read(2).
func BenchmarkYardstickReadFile(b *testing.B) {
	l := filled(b)
	buf := make([]byte, 1<<20)
	m := startMeter(b, scanned)
	for b.Loop() {
		file, err := os.Open(l.Path())
		if err != nil {
			b.Fatal(err)
		}
		for err == nil {
			_, err = file.Read(buf)
		}
		if !errors.Is(err, io.EOF) {
			b.Fatal(err)
		}
		_ = file.Close()
	}
	m.report()
}

// A page of a session: 50 records of one among sessions.
const (
	sessions = 1000
	page     = 50
)

func BenchmarkWalk(b *testing.B) {
	l := filled(b)
	stop := io.EOF
	for b.Loop() {
		n := 0
		err := l.Walk(scanned, prev, func(uint64, []byte) error {
			if n++; n == page {
				return stop
			}
			return nil
		})
		if !errors.Is(err, stop) {
			b.Fatal(err)
		}
	}
}

// BenchmarkYardstickCursor reads such a page from a bucket that has session
// and sequence as its key, the layout that was rejected (perf §2.2).
func BenchmarkYardstickCursor(b *testing.B) {
	db := openBare(b)
	err := db.Update(func(tx *bbolt.Tx) error {
		for i := range uint64(scanned) { // in the order of keys, or it takes minutes
			key := binary.BigEndian.AppendUint64(log.Key(i/(scanned/sessions)), i)
			if err := tx.Bucket(bare).Put(key, make([]byte, recordSize)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	session := log.Key(sessions - 1)
	for b.Loop() {
		got := make([][]byte, 0, page)
		err := db.View(func(tx *bbolt.Tx) error {
			c := tx.Bucket(bare).Cursor()
			for k, v := c.Seek(session); bytes.HasPrefix(k, session) && len(got) < page; k, v = c.Next() {
				got = append(got, bytes.Clone(v))
			}
			return nil
		})
		if err != nil || len(got) != page {
			b.Fatal(len(got), err)
		}
	}
}

// filled returns a log of records in which each names the one that is a
// number of sessions before it.
func filled(b *testing.B) *log.Log {
	b.Helper()
	l := openLog(b)
	for l.Head() < scanned {
		group := records(1000)
		for i, v := range group {
			if seq := l.Head() + uint64(i) + 1; seq > sessions {
				binary.BigEndian.PutUint64(v, seq-sessions)
			}
		}
		if _, err := l.Append(group); err != nil {
			b.Fatal(err)
		}
	}
	return l
}

func records(n int) [][]byte {
	out := make([][]byte, n)
	for i := range out {
		out[i] = make([]byte, recordSize)
	}
	return out
}

var bare = []byte("bare")

func openBare(b *testing.B) *bbolt.DB {
	b.Helper()
	db, err := bbolt.Open(filepath.Join(b.TempDir(), "bare.db"), 0o600, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	err = db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucket(bare)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return db
}

// meter turns a benchmark of operations into figures of records.
type meter struct {
	b       *testing.B
	records int // in each operation
	written int64
}

func startMeter(b *testing.B, records int) *meter {
	return &meter{b, records, ioCounter("wchar")}
}

func (m *meter) report() {
	n := float64(m.b.N * m.records)
	m.b.ReportMetric(n/m.b.Elapsed().Seconds(), "records/s")
	if m.written > 0 {
		m.b.ReportMetric(float64(ioCounter("wchar")-m.written)/n, "written-B/record")
	}
}
