package log

import (
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"

	"go.etcd.io/bbolt"
)

// Log is a durable log in one bbolt file. All methods may be called
// concurrently. Appends are serialised; reads do not wait for their syncs.
type Log struct {
	path string
	db   *bbolt.DB
	// head moves only after a commit has returned nil, and is what keeps
	// readers from values that are not yet durable.
	head atomic.Uint64

	// mu serialises Append and Close.
	mu     sync.Mutex
	closed bool  // guarded by mu
	failed error // guarded by mu; the first failure, for ever
	// commit is put, except in fault tests. Called with mu held.
	commit func(first uint64, values [][]byte) error
}

// Head returns the sequence of the last durable value, 0 when there is none.
func (l *Log) Head() uint64 { return l.head.Load() }

// Path returns the path that was given to Open.
func (l *Log) Path() string { return l.path }

// Close waits for an Append and for read transactions in progress and releases
// the file. A Scan or Walk that is inside its callback is not waited for and
// returns ErrClosed afterwards if it needs the file again. Closing twice is
// allowed.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	if err := l.db.Close(); err != nil {
		return fmt.Errorf("closing the log %s: %w", l.path, err)
	}
	return nil
}

// key returns the bbolt key of a sequence: eight bytes, big-endian, so that
// the order of keys is the order of sequences.
func key(seq uint64) []byte { return appendKey(nil, seq) }

// appendKey is key into a buffer that is used again.
func appendKey(buf []byte, seq uint64) []byte {
	return binary.BigEndian.AppendUint64(buf, seq)
}

// isKey reports whether k is the key of seq.
func isKey(k []byte, seq uint64) bool {
	return len(k) == 8 && binary.BigEndian.Uint64(k) == seq
}
