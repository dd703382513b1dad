package log

import "go.etcd.io/bbolt"

// Scan calls fn for each value from sequence from (0 means 1) to the head at
// the time of the call, ascending. fn owns the value. fn runs outside of any
// transaction, so that it may block, append, or read the log; its error stops
// the scan and is returned as it is.
//
// Where a sequence is missing, the values before it are delivered and the
// error is a DamagedError that names it.
func (l *Log) Scan(from uint64, fn func(seq uint64, value []byte) error) error {
	head := l.Head()
	c := newChunk()
	for next := max(from, 1); next <= head; {
		readErr := l.view(func(tx *bbolt.Tx) (err error) {
			next, err = l.readRange(tx.Bucket(logBucket).Cursor(), next, head, c)
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

// Each is Scan of the whole log for who needs no value longer than fn runs, and
// lets nobody wait: fn sees each value in place, must not keep or change it, and
// runs in one transaction, so that pages are not reused meanwhile. It is for a
// start.
func (l *Log) Each(fn func(seq uint64, value []byte) error) error {
	head := l.Head()
	return l.view(func(tx *bbolt.Tx) error {
		cur := tx.Bucket(logBucket).Cursor()
		k, v := cur.First()
		for seq := uint64(1); seq <= head; seq++ {
			if !isKey(k, seq) {
				return l.hole(seq)
			}
			if err := fn(seq, v); err != nil {
				return err
			}
			k, v = cur.Next()
		}
		return nil
	})
}

// readRange fills c with the values from next to head and returns the sequence
// to go on with.
func (l *Log) readRange(cur *bbolt.Cursor, next, head uint64, c *chunk) (uint64, error) {
	k, v := cur.Seek(key(next))
	for ; next <= head && !c.full(); next++ {
		if !isKey(k, next) {
			return next, l.hole(next)
		}
		c.add(next, v)
		k, v = cur.Next()
	}
	return next, nil
}
