package approval_test

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
)

// uuid5 is version 5 of RFC 9562 §5.5, from text to text.
func uuid5(t rapid.TB, space, name string) string {
	t.Helper()
	ns, err := hex.DecodeString(strings.ReplaceAll(space, "-", ""))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha1.Sum(append(ns, name...))
	digits := hex.EncodeToString(sum[:16])
	variant := fmt.Sprintf("%x", sum[8]%64+128)
	return digits[:8] + "-" + digits[8:12] + "-5" + digits[13:16] + "-" + variant + digits[18:20] + "-" + digits[20:]
}

// The expected ids come from uuid.uuid5 of Python's standard library.
func TestSuccessorsAreFixedForEver(t *testing.T) {
	for _, c := range []struct {
		name         string
		session, old string
		opened       uint64
		want         string
	}{
		{"of a first opening", seedSession, seedApproval, 2, "536ac54b-7eba-5f7c-8dc4-d8facf042af9"},
		{"of another opening record", seedSession, seedApproval, 3, "9b74a2f7-8cc3-55e2-a44b-c8d7f20f24b3"},
		{"of the last sequence", seedSession, seedApproval, math.MaxUint64, "53387b01-f54a-595f-a324-6b75b4253669"},
		{"with session and approval swapped", seedApproval, seedSession, 2, "438e9baa-8f77-5aa3-af33-a439ce6ed9cd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := approval.Successor(mustID(t, c.session), mustID(t, c.old), c.opened)
			if got.String() != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestSuccessorIsUUIDv5OfSessionOldAndSequence(t *testing.T) {
	const space = "6f1d2f0e-6b1c-5f0a-9a53-0b6a6c0e7a11" // protocol §8
	rapid.Check(t, func(t *rapid.T) {
		session, old := anyID().Draw(t, "session"), anyID().Draw(t, "old")
		opened := rapid.Uint64().Draw(t, "opened")
		want := uuid5(t, space, fmt.Sprintf("%s:%s:%d", session, old, opened))
		if got := approval.Successor(session, old, opened).String(); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	})
}
