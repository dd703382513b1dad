package audit

import (
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/recovery"
)

// Lines calls fn for the line of each record that the filter wants, in the order
// of the log, while it verifies the log as Verify does: no line is told of a
// record that does not hold, or of one behind it. The error is Verify's, or
// fn's as it is. What it takes of memory depends on the largest record, and not
// on how many there are.
func Lines(r *log.Reader, f Filter, progress Progress, fn func(*Line) error) error {
	b := builder{log: r}
	return checked(r, new(recovery.Checker), false, progress, func(seq uint64, h record.Header, value []byte) error {
		l, err := b.line(seq, h, value, f)
		if err != nil || l == nil {
			return err
		}
		return fn(l)
	})
}

// Pending calls fn for the opening line of each approval and prompt that waits at the end
// of the log and that the filter wants.
func Pending(r *log.Reader, s *Survey, f Filter, fn func(*Line) error) error {
	b := builder{log: r}
	for _, seq := range s.pending() {
		value, err := r.Get(seq)
		if err != nil {
			return err
		}
		h, err := record.CheckHeader(seq, value)
		if err != nil {
			return &recovery.RecordError{Seq: seq, Err: err}
		}
		l, err := b.line(seq, h, value, f)
		if err != nil {
			return err
		}
		if l == nil {
			continue
		}
		if err := fn(l); err != nil {
			return err
		}
	}
	return nil
}
