// Package crash kills the daemon at random moments, while clients open, decide
// and cancel at once and repeat commands at random, and holds what is left
// against what was said (protocol §3 and §8):
//
//   - whatever was acknowledged is in the log, and answered with the same bytes
//     at any later time;
//   - the log holds nothing that nobody asked for, and no command twice;
//   - the sequence has no holes, the chain holds, and every approval has one
//     opening record and at most one terminal one;
//   - what was pending is superseded, by a successor that follows from the log.
//
// One run takes a few seconds. `make crash RUNS=500` repeats it with other
// seeds; APPROVALD_CRASH_SEED=N repeats the run whose seed a failure names.
package crash

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

const (
	rounds  = 6   // crashes of one run, over the same log
	clients = 5   // that send commands at once
	longest = 150 // answers before the daemon is killed, at most
)

func TestCrashes(t *testing.T) {
	seed := seedOf(t)
	t.Logf("APPROVALD_CRASH_SEED=%d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	state := t.TempDir()
	w := newWorld(t)
	var before crashed
	for round := range rounds {
		run(t, w, state, rand.New(rand.NewPCG(seed, r.Uint64())), before)
		before = w.compare(filepath.Join(state, "sessions.db"), before)
		if t.Failed() {
			t.Fatalf("crash %d of seed %d", round+1, seed)
		}
	}
	// The last crash is followed by a start as well, and an orderly end.
	d := startDaemon(t, state)
	d.waitFor(stages[len(stages)-1])
	w.repeat(d, before)
	t.Logf("%d commands, %d approvals, %d records, %d pending at the last crash",
		len(w.commands), len(w.approvals), before.head, len(before.pending))
}

func seedOf(t *testing.T) uint64 {
	t.Helper()
	given := os.Getenv("APPROVALD_CRASH_SEED")
	if given == "" {
		return rand.Uint64N(1 << 32)
	}
	seed, err := strconv.ParseUint(given, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return seed
}

// run is one life of the daemon: it is killed while it starts, or when it has
// given so many answers.
func run(t *testing.T, w *world, state string, r *rand.Rand, before crashed) {
	t.Helper()
	d := startDaemon(t, state)
	if n := r.IntN(3 * len(stages)); n < len(stages)-1 {
		d.waitFor(stages[n])
		d.kill()
		return
	}
	d.waitFor(stages[len(stages)-1])
	w.repeat(d, before)
	w.killAfter(r.IntN(longest), d.kill)
	var wg sync.WaitGroup
	for range clients {
		c := dial(t, d.socket)
		of := rand.New(rand.NewPCG(r.Uint64(), 0))
		wg.Go(func() { w.drive(c, of) })
	}
	wg.Wait()
	d.kill() // returns when it is gone
}
