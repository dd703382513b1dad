package daemon_test

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/daemon"
)

// setClock is a clock that is set by hand, back as well as forward.
type setClock struct{ now time.Time }

func (c *setClock) Now() time.Time                              { return c.now }
func (*setClock) AfterFunc(time.Duration, func()) (stop func()) { return func() {} }

// Ids are version 7 UUIDs that ascend whatever the clock does, none of them
// twice, and the same ones for the same seed and clock (design §7).
func TestMintedIDsAscend(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		moves := rapid.SliceOfN(rapid.Int64Range(-5000, 5000), 1, 200).Draw(t, "moves")
		mint := func() (ids []approval.ID) {
			clock := &setClock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
			next := daemon.Minter(rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)}), clock)
			for _, ms := range moves {
				clock.now = clock.now.Add(time.Duration(ms) * time.Millisecond)
				ids = append(ids, next())
			}
			return ids
		}
		ids := mint()
		for i, id := range ids {
			if id[6]>>4 != 7 || id[8]>>6 != 2 {
				t.Fatalf("%s is no UUID of version 7", id)
			}
			if i > 0 && bytes.Compare(ids[i-1][:], id[:]) >= 0 {
				t.Fatalf("%s came after %s", id, ids[i-1])
			}
		}
		for i, id := range mint() {
			if id != ids[i] {
				t.Fatalf("id %d is %s, and was %s with the same seed", i, id, ids[i])
			}
		}
	})
}

// Without entropy there is no identity, and nobody waits for one.
func TestMintingWithoutEntropyPanics(t *testing.T) {
	mint := daemon.Minter(bytes.NewReader(nil), &setClock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)})
	defer func() {
		if recover() == nil {
			t.Error("an identity was minted")
		}
	}()
	_ = mint()
}
