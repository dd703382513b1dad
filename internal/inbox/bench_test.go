package inbox_test

import (
	"strings"
	"testing"
	"time"

	"github.com/approvald/approvald/internal/inbox"
)

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
