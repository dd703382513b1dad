package log_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/log"
)

// store is what Log and Memory have in common: all of it is held by the suite.
type store interface {
	Append(values [][]byte) (uint64, error)
	Head() uint64
	Get(seq uint64) ([]byte, error)
	Scan(from uint64, fn func(seq uint64, value []byte) error) error
	Walk(from uint64, prev func([]byte) uint64, fn func(seq uint64, value []byte) error) error
	Close() error
}

// implementations are opened in an empty directory, or in one that has a log.
var implementations = []struct {
	name    string
	durable bool
	open    func(dir string) (store, error)
}{
	{"Log", true, func(dir string) (store, error) { return log.Open(filepath.Join(dir, "log.db")) }},
	{"Memory", false, func(string) (store, error) { return new(log.Memory), nil }},
}

func TestConformance(t *testing.T) {
	for _, impl := range implementations {
		for _, c := range conformance {
			t.Run(impl.name+"/"+c.requirement, func(t *testing.T) {
				s, err := impl.open(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				c.hold(t, s)
			})
		}
	}
}

var conformance = []struct {
	requirement string
	hold        func(t *testing.T, s store)
}{
	{"an empty log has head 0 and nothing to scan", func(t *testing.T, s store) {
		if head := s.Head(); head != 0 {
			t.Errorf("Head() = %d, want 0", head)
		}
		if got := scan(t, s, 0); len(got) != 0 {
			t.Errorf("Scan delivered %d values, want none", len(got))
		}
	}},
	{"sequences start at 1 and have no holes", func(t *testing.T, s store) {
		var want []string
		for group := range 4 {
			first := mustAppend(t, s, texts(len(want)+1, group+1)...)
			if first != uint64(len(want))+1 {
				t.Errorf("Append returned %d, want %d", first, len(want)+1)
			}
			want = append(want, texts(len(want)+1, group+1)...)
			if s.Head() != uint64(len(want)) {
				t.Errorf("Head() = %d, want %d", s.Head(), len(want))
			}
		}
		if diff := cmp.Diff(want, scan(t, s, 1)); diff != "" {
			t.Errorf("scanned (-want +got):\n%s", diff)
		}
	}},
	{"appending nothing writes nothing and names the next sequence", func(t *testing.T, s store) {
		mustAppend(t, s, "a")
		if first := mustAppend(t, s); first != 2 {
			t.Errorf("Append() = %d, want 2", first)
		}
		if s.Head() != 1 {
			t.Errorf("Head() = %d, want 1", s.Head())
		}
	}},
	{"an empty value is a value", func(t *testing.T, s store) {
		mustAppend(t, s, "", "b", "")
		if diff := cmp.Diff([]string{"", "b", ""}, scan(t, s, 1)); diff != "" {
			t.Errorf("scanned (-want +got):\n%s", diff)
		}
		if v, err := s.Get(3); err != nil || len(v) != 0 {
			t.Errorf("Get(3) = %q, %v, want an empty value", v, err)
		}
	}},
	{"values stay the caller's after Append", func(t *testing.T, s store) {
		v := []byte("before")
		if _, err := s.Append([][]byte{v}); err != nil {
			t.Fatal(err)
		}
		copy(v, "AFTER!")
		if got := get(t, s, 1); got != "before" {
			t.Errorf("Get(1) = %q, want %q", got, "before")
		}
	}},
	{"a value from Get belongs to the caller", func(t *testing.T, s store) {
		mustAppend(t, s, "before")
		v, err := s.Get(1)
		if err != nil {
			t.Fatal(err)
		}
		copy(v, "AFTER!")
		if got := get(t, s, 1); got != "before" {
			t.Errorf("Get(1) = %q, want %q", got, "before")
		}
	}},
	{"a value from Scan belongs to the callback", func(t *testing.T, s store) {
		want := texts(1, 3)
		mustAppend(t, s, want...)
		kept := map[uint64][]byte{}
		err := s.Scan(1, func(seq uint64, v []byte) error {
			kept[seq] = append(v, "tail"...)
			v[0] = 'X'
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, scan(t, s, 1)); diff != "" {
			t.Errorf("the log changed (-want +got):\n%s", diff)
		}
		if got := string(kept[2][1:]); got != want[1][1:]+"tail" {
			t.Errorf("kept value 2 is %q after X, want %q", got, want[1][1:]+"tail")
		}
	}},
	{"Get of sequence 0 is ErrNotFound", func(t *testing.T, s store) {
		mustAppend(t, s, "a")
		if _, err := s.Get(0); !errors.Is(err, log.ErrNotFound) {
			t.Errorf("Get(0): %v, want ErrNotFound", err)
		}
	}},
	{"Get beyond the head is ErrNotFound", func(t *testing.T, s store) {
		mustAppend(t, s, "a")
		if _, err := s.Get(2); !errors.Is(err, log.ErrNotFound) {
			t.Errorf("Get(2): %v, want ErrNotFound", err)
		}
	}},
	{"Scan starts at from", func(t *testing.T, s store) {
		all := texts(1, 5)
		mustAppend(t, s, all...)
		for from, want := range map[uint64][]string{0: all, 1: all, 2: all[1:], 5: all[4:], 6: nil, 1 << 63: nil} {
			if diff := cmp.Diff(want, scan(t, s, from)); diff != "" {
				t.Errorf("Scan(%d) (-want +got):\n%s", from, diff)
			}
		}
	}},
	{"Scan ends at the head of its call", func(t *testing.T, s store) {
		mustAppend(t, s, texts(1, 3)...)
		calls := 0
		err := s.Scan(1, func(uint64, []byte) error {
			calls++
			_, err := s.Append([][]byte{[]byte("more")})
			return err
		})
		if err != nil || calls != 3 || s.Head() != 6 {
			t.Errorf("err %v, calls %d, head %d; want nil, 3, 6", err, calls, s.Head())
		}
	}},
	{"Scan stops at the error of its callback and returns it", func(t *testing.T, s store) {
		mustAppend(t, s, texts(1, 3)...)
		stop := errors.New("stop")
		calls := 0
		err := s.Scan(1, func(seq uint64, _ []byte) error {
			if calls++; seq == 2 {
				return stop
			}
			return nil
		})
		if !errors.Is(err, stop) || calls != 2 {
			t.Errorf("err %v after %d calls, want %v after 2", err, calls, stop)
		}
	}},
	{"Scan delivers more values than a chunk has", func(t *testing.T, s store) {
		want := texts(1, 2*log.ChunkRecords+1)
		mustAppend(t, s, want...)
		if diff := cmp.Diff(want, scan(t, s, 1)); diff != "" {
			t.Errorf("scanned (-want +got):\n%s", diff)
		}
	}},
	{"Scan delivers more bytes than a chunk has", func(t *testing.T, s store) {
		want := []string{
			string(bytes.Repeat([]byte("a"), log.ChunkBytes-1)), "b",
			string(bytes.Repeat([]byte("c"), 2*log.ChunkBytes)), "d",
		}
		mustAppend(t, s, want...)
		if got := scan(t, s, 1); !slices.Equal(got, want) {
			t.Errorf("scanned %d values that differ from the %d appended", len(got), len(want))
		}
	}},
	{"Walk follows a chain from its end", func(t *testing.T, s store) {
		// Two sessions: 1, 3, 4 and 2, 5.
		mustAppend(t, s, link(0, "x1"), link(0, "y2"), link(1, "x3"), link(3, "x4"), link(2, "y5"))
		if diff := cmp.Diff([]string{"4 x4", "3 x3", "1 x1"}, walk(t, s, 4)); diff != "" {
			t.Errorf("walked (-want +got):\n%s", diff)
		}
	}},
	{"Walk from 0 is an empty chain", func(t *testing.T, s store) {
		mustAppend(t, s, link(0, "x"))
		if got := walk(t, s, 0); len(got) != 0 {
			t.Errorf("walked %q, want nothing", got)
		}
	}},
	{"Walk from beyond the head is ErrNotFound", func(t *testing.T, s store) {
		mustAppend(t, s, link(0, "x"))
		err := s.Walk(2, prev, func(uint64, []byte) error { return nil })
		if !errors.Is(err, log.ErrNotFound) {
			t.Errorf("Walk(2): %v, want ErrNotFound", err)
		}
	}},
	{"Walk delivers a chain longer than a chunk", func(t *testing.T, s store) {
		n := 2*log.ChunkRecords + 1
		var chain []string
		for i := range n {
			chain = append(chain, link(uint64(i), fmt.Sprint("v", i+1)))
		}
		mustAppend(t, s, chain...)
		got := walk(t, s, uint64(n))
		if len(got) != n || got[0] != fmt.Sprintf("%d v%d", n, n) || got[n-1] != "1 v1" {
			t.Errorf("walked %d values, want %d from the last to the first", len(got), n)
		}
	}},
	{"Walk refuses a value that names itself as predecessor", func(t *testing.T, s store) {
		mustAppend(t, s, link(0, "a"), link(2, "b"), link(2, "c"))
		refuseLink(t, s, 3, 2)
	}},
	{"Walk refuses a value that names a later one as predecessor", func(t *testing.T, s store) {
		mustAppend(t, s, link(0, "a"), link(3, "b"), link(2, "c"))
		refuseLink(t, s, 3, 2)
	}},
	{"Walk stops at the error of its callback and returns it", func(t *testing.T, s store) {
		mustAppend(t, s, link(0, "a"), link(1, "b"))
		stop := errors.New("stop")
		if err := s.Walk(2, prev, func(uint64, []byte) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("Walk: %v, want %v", err, stop)
		}
	}},
	{"a callback may close the log, and what follows is ErrClosed", func(t *testing.T, s store) {
		mustAppend(t, s, texts(1, log.ChunkRecords+1)...)
		err := s.Scan(1, func(uint64, []byte) error { return s.Close() })
		if !errors.Is(err, log.ErrClosed) {
			t.Errorf("Scan: %v, want ErrClosed", err)
		}
	}},
	{"a closed log answers ErrClosed", func(t *testing.T, s store) {
		mustAppend(t, s, link(0, "a"))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		_, appendErr := s.Append([][]byte{nil})
		_, emptyErr := s.Append(nil)
		_, getErr := s.Get(1)
		nothing := func(uint64, []byte) error { return nil }
		for call, err := range map[string]error{
			"Append": appendErr, "Append of nothing": emptyErr, "Get": getErr,
			"Scan": s.Scan(1, nothing), "Walk": s.Walk(1, prev, nothing),
		} {
			if !errors.Is(err, log.ErrClosed) {
				t.Errorf("%s: %v, want ErrClosed", call, err)
			}
		}
	}},
	{"closing twice is allowed", func(t *testing.T, s store) {
		for range 2 {
			if err := s.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		}
	}},
	{"readers see whole groups in order while a writer appends", func(t *testing.T, s store) {
		const group, groups, readers = 3, 60, 3
		var wg sync.WaitGroup
		defer wg.Wait()
		for range readers {
			wg.Go(func() {
				for head := uint64(0); head < group*groups; {
					next := uint64(1)
					err := s.Scan(1, func(seq uint64, v []byte) error {
						if seq != next || string(v) != text(int(seq)) {
							return fmt.Errorf("sequence %d holds %q where %d was due", seq, v, next)
						}
						next++
						return nil
					})
					if err != nil {
						t.Errorf("Scan: %v", err)
						return
					}
					if head = next - 1; head%group != 0 {
						t.Errorf("a reader saw %d values, which is not a number of whole groups", head)
					}
				}
			})
		}
		for i := range groups {
			mustAppend(t, s, texts(i*group+1, group)...)
		}
	}},
}

// text is the value that tests put under a sequence.
func text(seq int) string { return fmt.Sprint("value ", seq) }

func texts(from, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = text(from + i)
	}
	return out
}

// link is a value that names its predecessor, which prev reads.
func link(before uint64, name string) string {
	return string(binary.BigEndian.AppendUint64(nil, before)) + name
}

func prev(value []byte) uint64 { return binary.BigEndian.Uint64(value) }

func mustAppend(t testing.TB, s store, values ...string) uint64 {
	t.Helper()
	var raw [][]byte
	for _, v := range values {
		raw = append(raw, []byte(v))
	}
	first, err := s.Append(raw)
	if err != nil {
		t.Fatal(err)
	}
	return first
}

func get(t testing.TB, s store, seq uint64) string {
	t.Helper()
	v, err := s.Get(seq)
	if err != nil {
		t.Fatal(err)
	}
	return string(v)
}

// scan returns the values from a sequence on, and fails if theirs do not
// ascend by one.
func scan(t testing.TB, s store, from uint64) []string {
	t.Helper()
	var out []string
	next := max(from, 1)
	err := s.Scan(from, func(seq uint64, v []byte) error {
		if seq != next {
			return fmt.Errorf("sequence %d where %d was due", seq, next)
		}
		next++
		out = append(out, string(v))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// walk returns "sequence name" for each value of a chain of links.
func walk(t testing.TB, s store, from uint64) []string {
	t.Helper()
	var out []string
	err := s.Walk(from, prev, func(seq uint64, v []byte) error {
		out = append(out, fmt.Sprintf("%d %s", seq, v[8:]))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// refuseLink wants a walk to deliver everything down to the value at bad and
// then to report it.
func refuseLink(t *testing.T, s store, from, bad uint64) {
	t.Helper()
	last := uint64(0)
	err := s.Walk(from, prev, func(seq uint64, _ []byte) error { last = seq; return nil })
	damaged, ok := errors.AsType[*log.DamagedError](err)
	if !ok || damaged.Seq != bad || last != bad {
		t.Errorf("Walk: %v after sequence %d, want damage at %d after delivering it", err, last, bad)
	}
}
