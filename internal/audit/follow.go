package audit

import (
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/recovery"
)

// Log is the log of a daemon as the daemon itself has it.
type Log interface {
	Get(seq uint64) ([]byte, error)
	Scan(from uint64, fn func(seq uint64, value []byte) error) error
}

// Follow calls fn for the line of each record from sequence from on that the filter
// wants, as far as the log goes, and returns the sequence to go on with. The daemon has
// checked what it serves, so the records are not held against each other again. An
// error ends it, and what is before it was told.
func Follow(l Log, from uint64, f Filter, fn func(*Line) error) (next uint64, err error) {
	b, next := builder{log: l}, from
	err = l.Scan(from, func(seq uint64, value []byte) error {
		h, err := record.CheckHeader(seq, value)
		if err != nil {
			return &recovery.RecordError{Seq: seq, Err: err}
		}
		line, err := b.line(seq, h, value, f)
		if err != nil {
			return err
		}
		next = seq + 1
		if line == nil {
			return nil
		}
		return fn(line)
	})
	return next, err
}
