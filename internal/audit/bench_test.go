package audit_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/audit"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/tests/bench/yardstick"
)

// BenchmarkVerify verifies a log of records about approvals; its yardstick is a
// plain read of the same file, warm (perf §9, T13). BenchmarkScan is what of it
// is reading pages, BenchmarkVerifyBodies what it takes to decode every body as
// well. Run them together:
//
//	go test -run '^$' -bench 'Verify$|Scan|ReadFile$' -count 7 ./internal/audit | benchstat -
//
// BenchmarkVerifyMillion and its yardstick are the same for a log ten times as
// long. Both tell the memory that was in use at most.
func BenchmarkVerify(b *testing.B)        { benchVerify(b, thousands100, audit.Options{}) }
func BenchmarkVerifyBodies(b *testing.B)  { benchVerify(b, thousands100, audit.Options{Bodies: true}) }
func BenchmarkVerifyMillion(b *testing.B) { benchVerify(b, million, audit.Options{}) }

func BenchmarkYardstickReadFile(b *testing.B)        { benchReadFile(b, thousands100) }
func BenchmarkYardstickReadFileMillion(b *testing.B) { benchReadFile(b, million) }

const (
	thousands100 = 100_000
	million      = 1_000_000
)

func scaled(records uint64) uint64 { return uint64(yardstick.Scaled(int(records), 1000)) }

func benchVerify(b *testing.B, records uint64, o audit.Options) {
	records = scaled(records)
	path := approvalLog(b, records)
	heap := watchHeap(b)
	for b.Loop() {
		report, err := verify(b, path, o)
		if err != nil || report.Records != records {
			b.Fatal(report.Records, err)
		}
	}
	b.ReportMetric(float64(heap())/(1<<20), "heap-MiB")
	perRecord(b, records)
}

func perRecord(b *testing.B, records uint64) {
	b.ReportMetric(float64(b.N)*float64(records)/b.Elapsed().Seconds(), "records/s")
}

// BenchmarkLines writes every line of a log as JSON, which is what `audit --json`
// does; BenchmarkLinesOfASession finds those of one that is not there.
func BenchmarkLines(b *testing.B)           { benchLines(b, thousands100, audit.Filter{}) }
func BenchmarkLinesMillion(b *testing.B)    { benchLines(b, million, audit.Filter{}) }
func BenchmarkLinesOfASession(b *testing.B) { benchLines(b, thousands100, audit.Filter{Session: "1"}) }

func benchLines(b *testing.B, records uint64, f audit.Filter) {
	records = scaled(records)
	path := approvalLog(b, records)
	heap := watchHeap(b)
	for b.Loop() {
		r, err := log.OpenReader(path)
		if err != nil {
			b.Fatal(err)
		}
		out := json.NewEncoder(io.Discard)
		if err := errors.Join(audit.Lines(r, f, nil, func(l *audit.Line) error { return out.Encode(l) }), r.Close()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(heap())/(1<<20), "heap-MiB")
	perRecord(b, records)
}

func BenchmarkScan(b *testing.B) {
	path := approvalLog(b, thousands100)
	for b.Loop() {
		r, err := log.OpenReader(path)
		if err != nil {
			b.Fatal(err)
		}
		if err := r.Scan(func(uint64, []byte) error { return nil }); err != nil {
			b.Fatal(err)
		}
		if err := errors.Join(r.CheckStructure(), r.Close()); err != nil {
			b.Fatal(err)
		}
	}
	perRecord(b, thousands100)
}

func benchReadFile(b *testing.B, records uint64) {
	records = scaled(records)
	path := approvalLog(b, records)
	r, err := log.OpenReader(path)
	if err != nil {
		b.Fatal(err)
	}
	size := r.Size()
	if err := r.Close(); err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, 1<<20)
	for b.Loop() {
		file, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		for in := io.LimitReader(file, size); err == nil; {
			_, err = in.Read(buf)
		}
		if err := file.Close(); err != nil {
			b.Fatal(err)
		}
	}
	perRecord(b, records)
}

// watchHeap looks at the heap every few milliseconds until it is asked for the
// most that it saw.
func watchHeap(b *testing.B) (most func() uint64) {
	b.Helper()
	runtime.GC() // what made the log is not part of it
	var peak uint64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		for tick := time.NewTicker(5 * time.Millisecond); ; {
			metrics.Read(sample)
			peak = max(peak, sample[0].Value.Uint64())
			select {
			case <-tick.C:
			case <-stop:
				return
			}
		}
	}()
	return func() uint64 { close(stop); <-stopped; return peak }
}

// approvalLog is a log in which approvals are opened and settled.
func approvalLog(b *testing.B, records uint64) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "sessions.db")
	l, err := log.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	opened := &record.ApprovalOpened{
		ToolCallID: "call_1", ToolName: "bash", RawArgs: `{"command":"make test && git push origin main"}`,
		ArgsDigest: "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", Reason: "why this is asked",
		TurnID: "t1", TaskID: "k1", ItemID: "i1", SubjectDigest: "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		Subject: []byte(`{"kind":"shell","command":"make test && git push origin main","cwd":"/srv/app","stages":[{"argv":["make","test"]},{"argv":["git","push","origin","main"]}]}`),
		Menu:    []byte(`[{"choiceId":"allow_once"},{"choiceId":"abort"}]`), Policy: []byte(`{"source":"mode"}`), Unattended: "park",
	}
	settled := &record.ApprovalSettled{Outcome: "allowedOnce", Decision: "approved", PolicyResult: "allow", ResolvedBy: "user", Source: "reviewer"}
	var chain record.Chain
	session := approval.ID{15: 1}
	for seq := uint64(1); seq <= records; {
		var group [][]byte
		for range 1000 {
			h := record.Header{At: time.UnixMilli(1_767_000_000_000 + int64(seq)), Session: session, Prev: seq - 1}
			var body record.Body = opened
			if seq%2 == 0 {
				settled.Opened, body = seq-1, settled
			}
			binary.BigEndian.PutUint64(h.Approval[8:], (seq+1)/2)
			v, err := record.Encode(h, body, chain)
			if err != nil {
				b.Fatal(err)
			}
			chain = record.ChainOf(v)
			group = append(group, v)
			seq++
		}
		if _, err := l.Append(group); err != nil {
			b.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}
