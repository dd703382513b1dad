package rpc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/approvald/approvald/wire"
)

// benchLine is a decide as perf.md §3 measures it: 345 bytes of request.
var benchLine = []byte(`{"jsonrpc":"2.0","id":17,"method":"approval/decide","params":{"commandId":"018f6a2a-3333-7abc-8def-00000000d001",` +
	`"sessionId":"0198f0aa-1111-7000-8000-0000000000aa","approvalId":"0198f0ac-7777-7000-8000-0000000000e1",` +
	`"requirementId":{"approvalId":"0198f0ac-7777-7000-8000-0000000000e1","sourceIndex":0},"choiceId":"allow_session","feedback":null}}` + "\n")

// leanRequest is what the lean NDJSON loop of perf.md §3 decodes a request into.
type leanRequest struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// BenchmarkDecode compares decode with the yardstick, a plain encoding/json decode of the line.
func BenchmarkDecode(b *testing.B) {
	line := bytes.TrimSuffix(benchLine, []byte("\n"))
	b.Run("v=decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, f := decode(line); f != nil {
				b.Fatal(f.err)
			}
		}
	})
	b.Run("v=lean", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var r leanRequest
			if err := json.Unmarshal(line, &r); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkReceive is the way of a request into the program, reader included, for the ratio of
// perf.md §9 T8. The lean loop keeps nothing of a line, so what it may do without copying is its
// advantage here.
func BenchmarkReceive(b *testing.B) {
	b.Run("v=lineReader", func(b *testing.B) {
		b.ReportAllocs()
		l := newLineReader(&repeat{line: benchLine})
		for b.Loop() {
			f, err := l.next()
			if err != nil {
				b.Fatal(err)
			}
			if _, f := decode(f.line); f != nil {
				b.Fatal(f.err)
			}
		}
	})
	b.Run("v=lean", func(b *testing.B) {
		b.ReportAllocs()
		s := bufio.NewScanner(&repeat{line: benchLine})
		s.Buffer(make([]byte, windowSize), wire.MaxFrame)
		for b.Loop() {
			if !s.Scan() {
				b.Fatal(s.Err())
			}
			var r leanRequest
			if err := json.Unmarshal(s.Bytes(), &r); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkFault is what hostile frames cost: each kind must stay as cheap as a good frame is.
func BenchmarkFault(b *testing.B) {
	for name, line := range map[string][]byte{
		"parse error":    []byte(`{"jsonrpc":"2.0","id":17,"method":"approval/decide","params":{"a":nul}}`),
		"lone surrogate": []byte(`{"jsonrpc":"2.0","id":17,"method":"approval/decide","params":{"a":"\ud800"}}`),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, f := decode(line); f == nil {
					b.Fatal("a message")
				}
			}
		})
	}
}

// BenchmarkLargeFrame is a frame of 1 MiB, nearly all of it one string.
func BenchmarkLargeFrame(b *testing.B) {
	text := append(append([]byte(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"`), bytes.Repeat([]byte("if (a[i]) { f(); } "), 1<<20/19)...), `"}}`...)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		f, err := newLineReader(bytes.NewReader(text)).next()
		if err != nil {
			b.Fatal(err)
		}
		if _, f := decode(f.line); f != nil {
			b.Fatal(f.err)
		}
	}
}

// repeat is a stream of one line without end, in reads of up to 64 lines as a pipelining peer
// makes them.
type repeat struct {
	line []byte
	at   int
}

var _ io.Reader = (*repeat)(nil)

func (r *repeat) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		copied := copy(p[n:], r.line[r.at:])
		n += copied
		r.at = (r.at + copied) % len(r.line)
	}
	return n, nil
}
