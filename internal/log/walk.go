package log

import (
	"fmt"

	"go.etcd.io/bbolt"
)

// Walk follows a chain backwards: it calls fn for the value with sequence from,
// then for the one that prev names in it, and so on until prev returns 0. This
// is how the records of one session are found (design §4). from 0 is an empty
// chain; from beyond the head is ErrNotFound.
//
// prev runs inside a read transaction: it must be quick, and must neither keep
// nor change the value. fn owns the value and runs outside, as in Scan; its
// error stops the walk and is returned as it is.
//
// Where prev names a sequence that is not smaller, or a value is missing, what
// comes before in the walk is delivered and the error is a DamagedError.
func (l *Log) Walk(from uint64, prev func(value []byte) uint64, fn func(seq uint64, value []byte) error) error {
	if head := l.Head(); from > head {
		return notFound(from, head)
	}
	c := newChunk()
	for next := from; next != 0; {
		readErr := l.view(func(tx *bbolt.Tx) (err error) {
			next, err = l.readChain(tx.Bucket(logBucket).Cursor(), next, prev, c)
			return err
		})
		if err := c.deliver(fn); err != nil {
			return err
		}
		if readErr != nil {
			return readErr
		}
	}
	return nil
}

// readChain fills c from next backwards and returns the sequence to go on with.
func (l *Log) readChain(cur *bbolt.Cursor, next uint64, prev func([]byte) uint64, c *chunk) (uint64, error) {
	var target []byte
	for next != 0 && !c.full() {
		target = appendKey(target[:0], next)
		k, v := cur.Seek(target)
		if !isKey(k, next) {
			return next, l.hole(next)
		}
		before := prev(c.add(next, v))
		if err := checkLink(l.path, next, before); err != nil {
			return next, err
		}
		next = before
	}
	return next, nil
}

// checkLink holds that a chain only goes down, so that every walk ends.
func checkLink(path string, seq, before uint64) error {
	if before < seq {
		return nil
	}
	return &DamagedError{Path: path, Seq: seq,
		What: fmt.Sprintf("it names %d as its predecessor, which is not smaller", before)}
}
