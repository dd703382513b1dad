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
	p := newPipeline(bodies, func(b *batch, i int) error {
		seq, value := b.first+uint64(i), b.value(i) //nolint:gosec // positive
		h, err := c.Linked(seq, value, b.links[i])
		if err != nil {
			return err
		}
		if err := b.fault(i, h); err != nil {
			return &recovery.RecordError{Seq: seq, Kind: h.Kind, Err: err}
		}
		if err := fn(seq, h, value); err != nil {
			return err
		}
		done += int64(len(value))
		if i%64 != 0 && i < len(b.ends)-1 {
			return nil // asking the clock takes as long as a record
		}
		return progress.tell(done, r.Size())
	})
	read := r.Scan(p.add)
	if err := p.end(); err != nil {
		return err
	}
	if read != nil {
		return read
	}
	return r.CheckStructure()
}

// fault is what is wrong with the body of a record, as far as it was looked at:
// a body that is not between braces is decoded, for the sentence that says why
// it cannot be.
func (b *batch) fault(i int, h record.Header) error {
	if len(b.faults) > 0 {
		return b.faults[i]
	}
	value := b.value(i)
	body := value[record.HeaderSize:]
	if n := len(body); n >= 2 && body[0] == '{' && body[n-1] == '}' {
		return nil
	}
	_, err := record.DecodeBody(b.first+uint64(i), h, value) //nolint:gosec // positive
	return err
}
