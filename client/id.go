package client

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"sync"
	"time"
)

// commandIDs remembers the last id of the process, so that ids ascend.
var commandIDs struct {
	sync.Mutex
	last uint64 // milliseconds << 12 | counter
}

// NewCommandID mints a commandId: a lower-case UUID of version 7 (protocol §3).
// Ids of one process ascend, also within a millisecond and when the clock is set
// back. Use one per logical command and the same for each attempt at it.
func NewCommandID() string {
	commandIDs.Lock()
	commandIDs.last = max(commandIDs.last+1, uint64(time.Now().UnixMilli())<<12)
	stamp := commandIDs.last
	commandIDs.Unlock()

	var id [16]byte
	rand.Read(id[8:]) // never fails
	binary.BigEndian.PutUint64(id[:8], stamp>>12<<16|0x7000|stamp&0xfff)
	id[8] = id[8]&0x3f | 0x80
	return hex.EncodeToString(id[:4]) + "-" + hex.EncodeToString(id[4:6]) + "-" +
		hex.EncodeToString(id[6:8]) + "-" + hex.EncodeToString(id[8:10]) + "-" + hex.EncodeToString(id[10:])
}

// orNewID is id, or a fresh one where the caller gave none.
func orNewID(id string) string {
	if id == "" {
		return NewCommandID()
	}
	return id
}
