package log

import (
	"encoding/binary"
	"errors"

	"go.etcd.io/bbolt"
)

// What the tests reach inside for, all of it.

var (
	LogBucket  = logBucket
	MetaBucket = metaBucket
	FormatKey  = formatKey
	Key        = key
)

const (
	ChunkRecords = chunkRecords
	ChunkBytes   = chunkBytes
	WarmBuffer   = warmBuffer
)

// ErrInjected is the cause that FailCommit injects.
var ErrInjected = errors.New("injected")

// FailCommit makes every further commit report ErrInjected, after it was
// carried out if persist says so.
func FailCommit(l *Log, persist bool) {
	l.commit = func(first uint64, values [][]byte) error {
		if persist {
			if err := l.put(first, values); err != nil {
				return err
			}
		}
		return ErrInjected
	}
}

// PanicInCommit makes every further commit panic.
func PanicInCommit(l *Log) {
	l.commit = func(uint64, [][]byte) error { panic("injected") }
}

// DB is the file below the log.
func DB(l *Log) *bbolt.DB { return l.db }

// OpenTransactions counts the read transactions in progress.
func OpenTransactions(l *Log) int { return l.db.Stats().OpenTxN }

// FreelistOffset is where the list of free pages is in the file.
func FreelistOffset(r *Reader) int64 {
	return int64(binary.NativeEndian.Uint64(r.header.raw[offsetFreelist:])) * r.header.pageSize
}

// RootOffset is where the root of the values is in the file.
func RootOffset(r *Reader) int64 {
	return int64(binary.NativeEndian.Uint64(r.log.value)) * r.header.pageSize
}

// SnapshotTries is how often a snapshot begins.
const SnapshotTries = snapshotTries
