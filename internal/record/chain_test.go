package record

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// writeLog encodes n records, each chained to the one before.
func writeLog(t rapid.TB, n int) [][]byte {
	t.Helper()
	var values [][]byte
	var chain Chain
	for i := range n {
		value, err := Encode(Header{Session: seedSession, At: at, Prev: uint64(i)}, &Recovered{Pending: i}, chain)
		if err != nil {
			t.Fatal(err)
		}
		chain = ChainOf(value)
		values = append(values, value)
	}
	return values
}

// firstBreak is the index of the first record whose link does not hold; -1
// where all do.
func firstBreak(t rapid.TB, values [][]byte) int {
	t.Helper()
	var want Chain
	for i, value := range values {
		r, err := Decode(uint64(i+1), value)
		if err != nil {
			t.Fatal(err)
		}
		if r.Chain != want {
			return i
		}
		want = ChainOf(value)
	}
	return -1
}

func TestALinkIsTheBeginningOfTheSHA256OfTheRecordBefore(t *testing.T) {
	values := writeLog(t, 2)
	if got := [16]byte(values[0][72:88]); got != [16]byte{} {
		t.Errorf("the first record carries %x", got)
	}
	sum := sha256.Sum256(values[0])
	if got, want := fmt.Sprintf("%x", values[1][72:88]), fmt.Sprintf("%x", sum[:16]); got != want {
		t.Errorf("the second carries %s, want %s", got, want)
	}
}

func TestTheLinksOfAWholeLogHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 20).Draw(t, "records")
		if at := firstBreak(t, writeLog(t, n)); at != -1 {
			t.Fatalf("the link of record %d does not hold", at)
		}
	})
}

// Each damage leaves records whose own checksums hold: only the links tell.
func TestTheLinksOfADamagedLogDoNotHold(t *testing.T) {
	const n = 6
	for _, c := range []struct {
		name   string
		damage func(values [][]byte, i int) [][]byte
		broken func(i int) int // of damage to record i, 0 < i < n-1
	}{
		{
			"a record removed",
			func(v [][]byte, i int) [][]byte { return slices.Delete(v, i, i+1) },
			func(i int) int { return i },
		},
		{
			"two records swapped",
			func(v [][]byte, i int) [][]byte { v[i], v[i+1] = v[i+1], v[i]; return v },
			func(i int) int { return i },
		},
		{
			"a record twice",
			func(v [][]byte, i int) [][]byte { return slices.Insert(v, i, v[i]) },
			func(i int) int { return i + 1 },
		},
		{
			"a record altered and signed again",
			func(v [][]byte, i int) [][]byte { v[i][12] ^= 1; signed(v[i]); return v },
			func(i int) int { return i + 1 },
		},
		{
			"a body altered and signed again",
			func(v [][]byte, i int) [][]byte { v[i][len(v[i])-2] ^= 1; signed(v[i]); return v },
			func(i int) int { return i + 1 },
		},
		{
			"a link altered and signed again",
			func(v [][]byte, i int) [][]byte { v[i][80] ^= 1; signed(v[i]); return v },
			func(i int) int { return i },
		},
		{
			"the beginning cut off",
			func(v [][]byte, i int) [][]byte { return v[i:] },
			func(int) int { return 0 },
		},
	} {
		for i := 1; i < n-1; i++ {
			t.Run(fmt.Sprintf("%s, at %d", c.name, i), func(t *testing.T) {
				values := c.damage(writeLog(t, n), i)
				if got := firstBreak(t, values); got != c.broken(i) {
					t.Errorf("first broken link at %d, want %d", got, c.broken(i))
				}
			})
		}
	}
}
