package daemon

import (
	"errors"
	"io"
	"sync"

	"github.com/oklog/ulid/v2"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/sequencer"
)

// Minter returns the source of new identities: ULIDs of one monotonic entropy
// source, in the form of a UUID with the bits of version 7 (design §7). With a
// seeded source and a clock that stands still it gives the same ids again. The
// function it returns is safe for concurrent use, and panics where the source
// fails.
func Minter(entropy io.Reader, clock sequencer.Clock) func() approval.ID {
	var mu sync.Mutex
	monotonic := ulid.Monotonic(entropy, 0)
	var last uint64
	return func() approval.ID {
		mu.Lock()
		defer mu.Unlock()
		// A clock that was set back must not make ids that sort before earlier ones.
		last = max(last, ulid.Timestamp(clock.Now()))
		u, err := ulid.New(last, monotonic)
		for errors.Is(err, ulid.ErrMonotonicOverflow) { // this millisecond's entropy is used up
			last++
			u, err = ulid.New(last, monotonic)
		}
		if err != nil {
			panic("daemon: no entropy for an identity: " + err.Error()) // the command that needs it fails alone
		}
		id := approval.ID(u)
		id[6] = id[6]&0x0f | 0x70
		id[8] = id[8]&0x3f | 0x80
		return id
	}
}
