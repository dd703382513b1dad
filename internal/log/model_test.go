package log_test

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestModel holds each implementation against a slice of values: whatever the
// order of calls, both say the same.
func TestModel(t *testing.T) {
	for _, impl := range implementations {
		t.Run(impl.name, func(t *testing.T) {
			parent := t.TempDir()
			rapid.Check(t, func(rt *rapid.T) {
				dir, err := os.MkdirTemp(parent, "") //nolint:usetesting // one for each draw of the one test
				if err != nil {
					rt.Fatal(err)
				}
				s, err := impl.open(dir)
				if err != nil {
					rt.Fatal(err)
				}
				m := &model{store: s}
				defer func() { _ = m.store.Close() }()
				actions := map[string]func(*rapid.T){
					"append": m.append, "get": m.get, "scan": m.scan, "walk": m.walk, "": m.check,
				}
				if impl.durable {
					actions["reopen"] = func(rt *rapid.T) {
						if err := m.store.Close(); err != nil {
							rt.Fatal(err)
						}
						if m.store, err = impl.open(dir); err != nil {
							rt.Fatal(err)
						}
					}
				}
				rt.Repeat(actions)
			})
		})
	}
}

// model is the naive twin: value i has sequence i+1. Each value begins with a
// predecessor, as link does.
type model struct {
	store  store
	values [][]byte
}

func (m *model) head() uint64 { return uint64(len(m.values)) }

func (m *model) append(rt *rapid.T) {
	var group [][]byte
	for range rapid.IntRange(0, 5).Draw(rt, "values") {
		seq := m.head() + uint64(len(group)) + 1
		before := rapid.Uint64Range(0, seq-1).Draw(rt, "predecessor")
		body := rapid.SliceOfN(rapid.Byte(), 0, 2000).Draw(rt, "body")
		group = append(group, []byte(link(before, string(body))))
	}
	first, err := m.store.Append(group)
	if err != nil || first != m.head()+1 {
		rt.Fatalf("Append = %d, %v, want %d", first, err, m.head()+1)
	}
	m.values = append(m.values, group...)
}

func (m *model) get(rt *rapid.T) {
	seq := rapid.Uint64Range(0, m.head()+2).Draw(rt, "seq")
	got, err := m.store.Get(seq)
	if seq == 0 || seq > m.head() {
		if err == nil {
			rt.Fatalf("Get(%d) = %q with head %d, want an error", seq, got, m.head())
		}
		return
	}
	if err != nil || !bytes.Equal(got, m.values[seq-1]) {
		rt.Fatalf("Get(%d) = %q, %v, want %q", seq, got, err, m.values[seq-1])
	}
}

func (m *model) scan(rt *rapid.T) {
	from := rapid.Uint64Range(0, m.head()+2).Draw(rt, "from")
	var got [][]byte
	err := m.store.Scan(from, func(_ uint64, v []byte) error { got = append(got, v); return nil })
	want := m.values[min(max(from, 1)-1, m.head()):]
	if err != nil || !slices.EqualFunc(got, want, bytes.Equal) {
		rt.Fatalf("Scan(%d) delivered %d values and %v, want %d", from, len(got), err, len(want))
	}
}

func (m *model) walk(rt *rapid.T) {
	from := rapid.Uint64Range(0, m.head()).Draw(rt, "from")
	var want []uint64
	for seq := from; seq != 0; seq = prev(m.values[seq-1]) {
		want = append(want, seq)
	}
	var got []uint64
	err := m.store.Walk(from, prev, func(seq uint64, _ []byte) error { got = append(got, seq); return nil })
	if err != nil || !slices.Equal(got, want) {
		rt.Fatalf("Walk(%d) went %v and %v, want %v", from, got, err, want)
	}
}

// check runs after every action.
func (m *model) check(rt *rapid.T) {
	if got := m.store.Head(); got != m.head() {
		rt.Fatalf("Head() = %d, want %d", got, m.head())
	}
}
