package yardstick

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Callers has op run b.N times in all, on so many goroutines at once, each calling it with its
// own number from 0 on. op returns the latency that counts, which need not be the whole of what
// it did. It is reported with what Report says.
func Callers(b *testing.B, callers int, op func(caller int) (time.Duration, error)) {
	b.Helper()
	var started atomic.Int64
	took := make([][]time.Duration, callers)
	errs := make([]error, callers)
	var wg sync.WaitGroup
	m := Start(b)
	for i := range callers {
		wg.Go(func() {
			for errs[i] == nil && started.Add(1) <= int64(b.N) {
				var d time.Duration
				d, errs[i] = op(i)
				took[i] = append(took[i], d)
			}
		})
	}
	wg.Wait()
	m.Stop()
	for _, err := range errs {
		if err != nil {
			b.Fatal(err)
		}
	}
	m.Report(slices.Concat(took...))
}

// MeasureStore measures so many callers at once, each committing the values one after another to a
// store in a directory of its own. The latency that counts is that of the last value.
func MeasureStore(b *testing.B, callers int, open func(dir string) (Store, error), values ...[]byte) {
	b.Helper()
	store, err := open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	Callers(b, callers, func(int) (time.Duration, error) {
		var start time.Time
		for _, v := range values {
			start = time.Now()
			if err := store.Commit(v); err != nil {
				return 0, err
			}
		}
		return time.Since(start), nil
	})
	if err := store.Close(); err != nil {
		b.Fatal(err)
	}
}
