package audit_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/audit"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
)

// Whatever is done to the bytes of a file, verify ends, and what it vouches for
// is a beginning of what was written. It vouches for less without saying that
// something is wrong in one case only: a header page does not hold, which is
// what a crash leaves of a commit.
func TestVerifyVouchesForNothingElse(t *testing.T) {
	path, values := writtenLog(t, 300)
	chains := map[record.Chain]int{{}: 0}
	for i, v := range values {
		chains[record.ChainOf(v)] = i + 1
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole = whole[:used(t, path)] // behind it bbolt has room for more, in which nothing is
	damaged, salvaged := filepath.Join(t.TempDir(), "damaged.db"), filepath.Join(t.TempDir(), "salvaged.db")
	rapid.Check(t, func(t *rapid.T) {
		spoil(t, whole, damaged)
		r, err := log.OpenReader(damaged)
		if err != nil {
			return // refused
		}
		report, err := audit.Verify(r, audit.Options{})
		salvageKeeps(t, r, salvaged, chains, report)
		if closed := r.Close(); closed != nil {
			t.Fatal(closed)
		}
		if n, ok := chains[report.Head]; !ok || uint64(n) != report.Records {
			t.Fatalf("verify vouches for %d records up to %x, which were never written (%v)", report.Records, report.Head, err)
		}
		if err == nil && report.Records < uint64(len(values)) && r.Headers() == 2 {
			t.Fatalf("verify misses none of %d records, and there were %d", report.Records, len(values))
		}
		if _, _, ok := audit.Damage(err); err != nil && !ok {
			var newer interface{ Newer() bool }
			if !errors.As(err, &newer) {
				t.Fatalf("%v is about no damage", err)
			}
		}
	})
}

// spoil writes a file that is a log but for a few faults.
func spoil(t *rapid.T, whole []byte, path string) {
	bytes := slices.Clone(whole)
	for range rapid.IntRange(1, 3).Draw(t, "faults") {
		at := rapid.IntRange(0, len(bytes)-1).Draw(t, "at")
		switch rapid.SampledFrom([]string{"flip", "flip", "flip", "zero", "junk", "cut", "copy"}).Draw(t, "fault") {
		case "flip":
			bytes[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		case "zero":
			clear(bytes[at:min(len(bytes), at+512)])
		case "junk":
			copy(bytes[at:], rapid.SliceOfN(rapid.Byte(), 1, 64).Draw(t, "junk"))
		case "cut":
			bytes = bytes[:at+1]
		case "copy": // a sector that was written to the wrong place
			from := rapid.IntRange(0, len(bytes)-1).Draw(t, "from")
			copy(bytes[at&^511:], bytes[from&^511:min(len(bytes), from&^511+512)])
		}
	}
	if err := os.WriteFile(path, bytes, 0o600); err != nil {
		t.Fatal(err)
	}
}

// salvageKeeps holds that a salvage keeps at least what verify vouches for, and
// nothing that was not written.
func salvageKeeps(t *rapid.T, r *log.Reader, to string, chains map[record.Chain]int, vouched audit.Report) {
	if rapid.IntRange(0, 9).Draw(t, "salvage") > 0 {
		return // it waits for disks
	}
	out, err := audit.Salvage(r, to, nil)
	if err != nil {
		if vouched.Records > 0 {
			t.Fatalf("salvage keeps nothing of %d records: %v", vouched.Records, err)
		}
		return
	}
	if n, ok := chains[out.Head]; !ok || uint64(n) != out.Records || out.Records < vouched.Records {
		t.Fatalf("salvage keeps %d records up to %x, and verify vouches for %d", out.Records, out.Head, vouched.Records)
	}
	if err := os.Remove(to); err != nil {
		t.Fatal(err)
	}
}

// used is how many bytes of a file its pages take.
func used(t *testing.T, path string) int64 {
	t.Helper()
	r, err := log.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return r.Size()
}
