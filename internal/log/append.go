package log

import (
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
)

// fillPercent is how full bbolt leaves a page when it splits it. Keys arrive
// in ascending order, so that the default of one half would leave half of
// every page empty for ever (perf §2.2).
const fillPercent = 0.95

// errUnfinished is the cause that stands when a commit panicked.
var errUnfinished = errors.New("the commit did not return")

// Append adds values in their order, in one commit, and returns the sequence
// of the first when all are durable. A value may be empty. The values stay the
// caller's and must not change until Append returns. Appending no values
// writes nothing and returns the sequence that the next value will have.
//
// After an error it is unknown whether these values are in the file: all are,
// or none. The log is failed from then on, whatever the cause, and every later
// Append returns ErrFailed joined with that cause and has written nothing;
// reads go on and show what was there before (invariant 8).
func (l *Log) Append(values [][]byte) (first uint64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return 0, ErrClosed
	case l.failed != nil:
		return 0, fmt.Errorf("%w: %w", ErrFailed, l.failed)
	}
	head := l.head.Load()
	if len(values) == 0 {
		return head + 1, nil
	}
	l.failed = errUnfinished
	if err := l.commit(head+1, values); err != nil {
		l.failed = fmt.Errorf("appending %d values after sequence %d to the log %s: %w",
			len(values), head, l.path, err)
		return 0, l.failed
	}
	l.failed = nil
	l.head.Store(head + uint64(len(values)))
	return head + 1, nil
}

// put commits values under the sequences from first on. bbolt keeps the slices
// until the commit has ended, but not longer.
func (l *Log) put(first uint64, values [][]byte) error {
	return l.db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket(logBucket)
		b.FillPercent = fillPercent // a field of this handle, not of the file
		var k []byte                // bbolt copies it
		for i, v := range values {
			k = appendKey(k[:0], first+uint64(i))
			if err := b.Put(k, v); err != nil {
				return err
			}
		}
		return nil
	})
}
