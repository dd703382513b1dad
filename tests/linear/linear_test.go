// Package linear holds what a daemon answers to several clients at once against
// a sequential model of a session, with porcupine: every history must be one of
// a daemon that does each operation at one moment between call and answer. What
// got no answer, because the connection was cut or the daemon crashed, was done
// at one moment or never. What waits at a restart is superseded by the successor
// that protocol §8 derives.
//
// The clients read back what they wrote: with a list, an await and a consume of
// everything, and with the second answer to commands that they send again. What
// must not be accepted is kept beside it: answers of real histories that are
// altered one at a time (mutants_test.go), and servers that are each wrong in one
// way (faults_test.go).
//
// APPROVALD_LINEAR=10m goes on for so long; APPROVALD_LINEAR_SEED=N begins with
// the seed that a failure names. A seed fixes what each client does, not how
// they interleave.
package linear

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// histories are made where APPROVALD_LINEAR does not ask for more.
const histories = 2

func TestHistoriesAreLinearizable(t *testing.T) {
	seed := seedOf(t)
	t.Logf("APPROVALD_LINEAR_SEED=%d", seed)
	until := deadline(t)
	operations, unanswered, undecided := 0, 0, 0
	for n := 0; n < histories || time.Now().Before(until); n++ {
		p := planned(seed + uint64(n))
		r := recordDaemon(t, p)
		got := r.check()
		if got == porcupine.Illegal {
			report(t, r, p.seed)
		}
		if got == porcupine.Unknown {
			undecided++
		}
		for _, o := range r.operations {
			operations++
			if o.answer == "" {
				unanswered++
			}
		}
	}
	t.Logf("%d operations, %d of them unanswered; %d histories took too long to judge", operations, unanswered, undecided)
}

// planned is the history of a seed. Of more clients at once than 8 there are too
// many orders to try.
func planned(seed uint64) plan {
	return plan{seed: seed, clients: 6 + int(seed%3), lives: 3, each: 100}
}

// recordDaemon makes the history of a daemon.
func recordDaemon(t *testing.T, p plan) recorded {
	t.Helper()
	h, err := newDaemons(t.TempDir(), p.seed)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := h.now.Close(); err != nil {
			t.Error(err)
		}
	}()
	r, err := record(p, h)
	if err != nil {
		t.Fatalf("seed %d: %v", p.seed, err)
	}
	return r
}

// report writes a history that was not accepted where it can be looked at.
func report(t *testing.T, r recorded, seed uint64) {
	t.Helper()
	dir, err := os.MkdirTemp("", "approvald-linear") //nolint:usetesting // it is to be looked at after the test
	if err != nil {
		t.Fatal(err)
	}
	short := r.shortest()
	_, info := porcupine.CheckOperationsVerbose(short.model(), short.porcupine(), patience)
	if err := porcupine.VisualizePath(short.model(), info, filepath.Join(dir, "history.html")); err != nil {
		t.Error(err)
	}
	for name, text := range map[string]string{"shortest.txt": short.String(), "whole.txt": r.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Error(err)
		}
	}
	lines := short.String()
	t.Fatalf("APPROVALD_LINEAR_SEED=%d: the history is no daemon's; it is in %s. The shortest ends with\n%s", seed, dir, lines[max(0, len(lines)-3000):])
}

func seedOf(t *testing.T) uint64 {
	t.Helper()
	given := os.Getenv("APPROVALD_LINEAR_SEED")
	if given == "" {
		return rand.Uint64N(1 << 32)
	}
	seed, err := strconv.ParseUint(given, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return seed
}

// deadline is until when to go on; the past where nobody asked for more.
func deadline(t *testing.T) time.Time {
	t.Helper()
	given := os.Getenv("APPROVALD_LINEAR")
	if given == "" {
		return time.Time{}
	}
	length, err := time.ParseDuration(given)
	if err != nil {
		t.Fatal(err)
	}
	return time.Now().Add(length)
}
