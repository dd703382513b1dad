package log

import (
	"bytes"
	"errors"
	"runtime/debug"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// Get returns a copy of the value with that sequence, which the caller owns.
// The error is ErrNotFound when seq is 0 or beyond the head.
func (l *Log) Get(seq uint64) (value []byte, err error) {
	if head := l.Head(); seq == 0 || seq > head {
		return nil, notFound(seq, head)
	}
	err = l.view(func(tx *bbolt.Tx) error {
		value, err = l.fetch(tx.Bucket(logBucket), seq)
		return err
	})
	return value, err
}

// fetch copies one value that must be there, since seq is not beyond the head.
func (l *Log) fetch(b *bbolt.Bucket, seq uint64) ([]byte, error) {
	v := b.Get(key(seq))
	if v == nil {
		return nil, l.hole(seq)
	}
	return bytes.Clone(v), nil
}

func (l *Log) hole(seq uint64) error {
	return &DamagedError{Path: l.path, Seq: seq, What: "there is no such value"}
}

// view runs fn in a read transaction. fn must neither block nor call code of
// this package's callers: pages that an open transaction may look at are not
// reused, and the file grows by all that is written meanwhile (perf §2.4).
func (l *Log) view(fn func(tx *bbolt.Tx) error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer catchDamage(l.path, &err)
	err = l.db.View(fn)
	if errors.Is(err, berrors.ErrDatabaseNotOpen) {
		return ErrClosed
	}
	return err
}
