package log_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/approvald/approvald/internal/log"
)

// Single values are those that a scan delivers, in any order, also while one is
// under way.
func TestGetIsWhatScanDelivers(t *testing.T) {
	for name, values := range map[string][]string{
		"nothing":                         nil,
		"values in a page inside another": {"a", "", "c"},
		"values longer than a page":       {strings.Repeat("a", 5000), "b", strings.Repeat("c", 300_000), "d"},
		"more pages than one branch has":  texts(1, 20_000),
	} {
		t.Run(name, func(t *testing.T) {
			l := openLog(t)
			for rest := values; len(rest) > 0; {
				n := min(len(rest), 997)
				mustAppend(t, l, rest[:n]...)
				rest = rest[n:]
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			r := openReader(t, l.Path())
			get := func(seq uint64) {
				if v, err := r.Get(seq); err != nil || string(v) != values[seq-1] {
					t.Fatalf("Get(%d) = %.20q, %v, want %.20q", seq, v, err, values[seq-1])
				}
			}
			if err := r.Scan(func(seq uint64, v []byte) error {
				get(1 + rand.Uint64N(seq))
				get(seq)
				if string(v) != values[seq-1] {
					t.Fatalf("Get took the value at %d away", seq)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if err := r.CheckStructure(); err != nil {
				t.Errorf("CheckStructure: %v", err)
			}
			for _, seq := range []uint64{0, uint64(len(values)) + 1, 1 << 63} {
				_, err := r.Get(seq)
				if damaged, ok := errors.AsType[*log.DamagedError](err); !ok || damaged.Seq != seq {
					t.Errorf("Get(%d): %v, want a DamagedError of it", seq, err)
				}
			}
			seq, last, err := log.Tail(l.Path())
			if err != nil || seq != uint64(len(values)) || len(values) > 0 && string(last) != values[len(values)-1] {
				t.Errorf("Tail = %d, %.20q, %v", seq, last, err)
			}
		})
	}
}

// Whatever a file has become, a single value is what was written or an error.
func TestGetBelievesNoPage(t *testing.T) {
	path := closedLog(t, 100)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		file := append([]byte(nil), whole...)
		for range 20 {
			file[8192+random.IntN(len(file)-8192)] = byte(random.Uint32())
		}
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := log.OpenReader(path)
		if err != nil {
			continue
		}
		for seq := range uint64(102) {
			if v, err := r.Get(seq); err == nil && len(v) > len(whole) {
				t.Fatalf("Get(%d) has %d bytes", seq, len(v))
			}
		}
		if _, _, err := log.Tail(path); err != nil {
			if _, ok := errors.AsType[*log.DamagedError](err); !ok {
				t.Fatalf("Tail: %v, want a DamagedError", err)
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// The last value is one that was appended, however fast others follow.
func TestTailWhileAWriterAppends(t *testing.T) {
	const last = 300
	l := openLog(t)
	written := make(chan struct{})
	go func() {
		defer close(written)
		for i := range last {
			mustAppend(t, l, text(i+1))
		}
	}()
	before, moved := uint64(0), 0
	for done := false; !done; {
		select {
		case <-written:
			done = true
		default:
		}
		seq, v, err := log.Tail(l.Path())
		if errors.Is(err, log.ErrBusy) {
			continue
		}
		if err != nil || seq < before || seq > 0 && string(v) != text(int(seq)) || done && seq != last {
			t.Fatalf("Tail = %d, %q, %v after %d", seq, v, err, before)
		}
		if seq > before {
			moved++
		}
		before = seq
	}
	if moved < 2 {
		t.Errorf("it was seen to move %d times", moved)
	}
}
