package inbox_test

import (
	"strings"
	"testing"
	"time"

	"github.com/approvald/approvald/internal/inbox"
)

// BenchmarkKey is a key and the screen that follows: what it costs does not grow with what
// waits, nor with how much of a call there is.
func BenchmarkKey(b *testing.B) {
	for _, c := range keyCosts() {
		b.Run(c.name, func(b *testing.B) {
			m := c.open()
			for n := 0; b.Loop(); n++ {
				m = c.press(m, n)
			}
		})
	}
}

// TestWhatAKeyCostsDoesNotGrowWithWhatWaits counts what BenchmarkKey times.
func TestWhatAKeyCostsDoesNotGrowWithWhatWaits(t *testing.T) {
	allocated := make(map[string]float64)
	for _, c := range keyCosts() {
		m, n := c.open(), 0
		allocated[c.name] = testing.AllocsPerRun(20, func() { m = c.press(m, n); n++ })
	}
	if few, many := allocated["waiting=40"], allocated["waiting=10000"]; many > 1.1*few {
		t.Errorf("a key allocates %v times with 40 that wait, %v times with 10,000", few, many)
	}
	if small, large := allocated["arguments=small"], allocated["arguments=1MiB"]; large > 1.5*small {
		t.Errorf("a key allocates %v times beside a small call, %v times beside a mebibyte of arguments", small, large)
	}
}

// keyCost is an inbox and two keys that undo each other.
type keyCost struct {
	name    string
	waiting []inbox.Waiting
	keys    [2]string
}

func (c keyCost) open() inbox.Model {
	m := inbox.New()
	for _, msg := range []inbox.Msg{inbox.Resized{Width: 120, Height: 40}, inbox.Linked{}, inbox.Snapshot{Waiting: c.waiting}} {
		m, _ = m.Update(msg, start)
	}
	return c.press(c.press(m, 0), 1)
}

func (c keyCost) press(m inbox.Model, n int) inbox.Model {
	m, _ = m.Update(inbox.Key{Name: c.keys[n%2]}, start)
	_ = m.View()
	return m
}

func keyCosts() []keyCost {
	many := func(n int) []inbox.Waiting {
		all := make([]inbox.Waiting, n)
		for i := range all {
			r := shell(i, time.Minute, "make it && make install")
			all[i].Approval = &r
		}
		return all
	}
	large := shell(1, time.Minute, "make it && make install")
	large.RawArgs = "[" + strings.Repeat(`"`+strings.Repeat("x", 1000)+`",`, 1000) + "1]"
	return []keyCost{
		{"waiting=40", many(40), [2]string{"down", "up"}}, // a screen full
		{"waiting=10000", many(10_000), [2]string{"down", "up"}},
		{"arguments=small", many(10), [2]string{"J", "K"}},
		{"arguments=1MiB", append(approvals(large), many(9)...), [2]string{"J", "K"}},
	}
}

// BenchmarkView draws a card with a mebibyte of arguments, and a list of ten thousand.
func BenchmarkView(b *testing.B) {
	large := shell(1, time.Minute, "make")
	large.RawArgs = "[" + strings.Repeat(`"`+strings.Repeat("x", 1000)+`",`, 1000) + "1]"
	many := make([]inbox.Waiting, 10_000)
	for i := range many {
		r := shell(i, time.Minute, "make")
		many[i].Approval = &r
	}
	for name, waiting := range map[string][]inbox.Waiting{"v=arguments": approvals(large), "v=list": many} {
		b.Run(name, func(b *testing.B) {
			m := inbox.New()
			for _, msg := range []inbox.Msg{inbox.Linked{}, inbox.Snapshot{Waiting: waiting}} {
				m, _ = m.Update(msg, start)
			}
			for b.Loop() {
				m, _ = m.Update(inbox.Key{Name: "space"}, start)
				_ = m.View()
			}
		})
	}
	b.Run("v=snapshot", func(b *testing.B) {
		for b.Loop() {
			m, _ := inbox.New().Update(inbox.Snapshot{Waiting: many}, start)
			_, _ = m.Update(inbox.Snapshot{Waiting: many}, start)
		}
	})
}
