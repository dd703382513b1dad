package audit

import (
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/recovery"
)

// checked calls fn for every record of a log that holds, in their order, and
// then holds the file against itself. What is wrong with a record comes before
// what is wrong behind it, as if one were checked before the next is read: fn
// has then been called for all before it. The value is fn's until it returns;
// fn's error ends the work and is returned as it is.
func checked(r *log.Reader, c *recovery.Checker, bodies bool, progress Progress,
	fn func(seq uint64, h record.Header, value []byte) error,
) error {
	done := int64(0)
	err := c.Sweep(r.Scan, bodies, func(seq uint64, h record.Header, value []byte) error {
		if err := fn(seq, h, value); err != nil {
			return err
		}
		if done += int64(len(value)); seq%64 != 1 {
			return nil // asking the clock takes as long as a record
		}
		return progress.tell(done, r.Size())
	})
	if err != nil {
		return err
	}
	return r.CheckStructure()
}
