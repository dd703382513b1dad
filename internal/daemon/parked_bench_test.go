package daemon_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/approvald/approvald/tests/bench/yardstick"
	"github.com/approvald/approvald/wire"
)

// parkedSessions is how many sessions the parked approvals are in.
const parkedSessions = 20

// BenchmarkParked opens and decides approvals, 64 at once, while so many others wait (issue "the
// agent half": within twice the time of an empty daemon). An op is one decided at random, opens/s is
// how fast those were opened before, and B/parked is what one more that waits takes.
func BenchmarkParked(b *testing.B) {
	for _, waiting := range []int{0, 100_000} {
		b.Run(fmt.Sprintf("parked=%d", waiting), func(b *testing.B) {
			parked := yardstick.Scaled(waiting, 0)
			d := startDaemon(b)
			for range parkedSessions / 2 {
				d.openApprovals(b, parked/parkedSessions)
			}
			half := heapInUse() // what is held of the latest, and of a bounded size, is there by now
			for range parkedSessions / 2 {
				d.openApprovals(b, parked/parkedSessions)
			}
			each := float64(heapInUse()-half) / float64(max(parked/2, 1))
			began := time.Now()
			requests := d.openApprovals(b, b.N)
			opens := float64(b.N) / time.Since(began).Seconds()
			rand.Shuffle(len(requests), func(i, j int) { requests[i], requests[j] = requests[j], requests[i] })
			reviewer := d.dial(b, "reviewer")
			m := yardstick.Start(b)
			took, err := reviewer.Exchange(requests, 64, nil)
			m.Stop()
			if err != nil {
				b.Fatal(err)
			}
			m.Report(took)
			b.ReportMetric(opens, "opens/s")
			if parked > 0 {
				b.ReportMetric(each, "B/parked")
			}
			d.close(b)
		})
	}
}

// BenchmarkListPending lists everything that waits, a thousand a page.
func BenchmarkListPending(b *testing.B) {
	d := startDaemon(b)
	parked := yardstick.Scaled(100_000, parkedSessions)
	for range parkedSessions {
		d.openApprovals(b, parked/parkedSessions)
	}
	reviewer := d.dial(b, "reviewer")
	reviewer.Widen()
	for b.Loop() {
		seen, cursor := 0, ""
		for more := true; more; {
			var page wire.ApprovalListPendingResult
			reviewer.call(b, fmt.Sprintf(`{"jsonrpc":"2.0","id":4,"method":"approval/listPending","params":{"cursor":%q}}`, cursor), &page)
			seen += len(page.Approvals)
			if more = page.NextCursor != nil; more {
				cursor = *page.NextCursor
			}
		}
		if seen != parked {
			b.Fatalf("%d are listed, want %d", seen, parked)
		}
	}
	d.close(b)
}

func heapInUse() int64 {
	runtime.GC()
	runtime.GC() // what the first one has freed of pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
