package scenario

import (
	"encoding/binary"
	"math/rand/v2"
	"sync"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/sequencer"
)

// minter mints the ids that the header lists, in order, and then the ones that a seeded source
// gives. It outlives the daemons of a run: a restart mints no id twice.
func minter(h *header, clock sequencer.Clock) func() approval.ID {
	var seed [32]byte
	binary.BigEndian.PutUint64(seed[24:], *h.Seed)
	mint := daemon.Minter(rand.NewChaCha8(seed), clock)
	var mu sync.Mutex
	listed := h.ids
	return func() approval.ID {
		mu.Lock()
		defer mu.Unlock()
		if len(listed) == 0 {
			return mint()
		}
		id := listed[0]
		listed = listed[1:]
		return id
	}
}
