package yardstick

import (
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Meter takes the time of a benchmark's operations, and the processor's.
type Meter struct {
	b    *testing.B
	from time.Duration // of this process when it was last started
	cpu  time.Duration // what the operations before took of it
}

// Start ends the preparations: what follows until Stop counts.
func Start(b *testing.B) *Meter {
	m := &Meter{b: b, from: processorTime()}
	b.ResetTimer()
	return m
}

// Continue ends preparations in between, after Stop.
func (m *Meter) Continue() {
	m.from = processorTime()
	m.b.StartTimer()
}

// Stop ends what counts.
func (m *Meter) Stop() {
	m.b.StopTimer()
	m.cpu += processorTime() - m.from
}

// Report reports the rate of the benchmark (ops/s), the processor's time of this process
// (cpu-ns/op), which neighbours on the machine disturb least, and of the latencies the quantiles
// (p50-ns, p99-ns) and their quotient (p99/p50). took is sorted thereby.
func (m *Meter) Report(took []time.Duration) {
	n := float64(m.b.N)
	m.b.ReportMetric(n/m.b.Elapsed().Seconds(), "ops/s")
	m.b.ReportMetric(float64(m.cpu)/n, "cpu-ns/op")
	slices.Sort(took)
	p50, p99 := took[len(took)/2], took[len(took)*99/100]
	m.b.ReportMetric(float64(p50), "p50-ns")
	m.b.ReportMetric(float64(p99), "p99-ns")
	m.b.ReportMetric(float64(p99)/float64(p50), "p99/p50")
}

// processorTime is what this process has used of the processors, in user mode and in the kernel.
func processorTime() time.Duration {
	var use unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &use); err != nil {
		return 0
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
