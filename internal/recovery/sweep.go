package recovery

import "github.com/approvald/approvald/internal/record"

// Sweep holds the records that scan gives, one after another from the next one
// on, and calls take for each that holds, in their order. What is wrong with a
// record comes before what is wrong behind it, and before scan's error, as if one
// were checked before the next is read; but the hashes are computed beside the
// reading, on all processors. bodies has every body decoded as well, which finds
// what a faulty writer wrote. scan may change a value when its fn has returned;
// take has one until it returns, and its error ends the sweep and is returned as
// it is.
func (c *Checker) Sweep(
	scan func(fn func(seq uint64, value []byte) error) error, bodies bool,
	take func(seq uint64, h record.Header, value []byte) error,
) error {
	p := newPipeline(bodies, func(b *batch, i int) error {
		seq, value := b.first+uint64(i), b.value(i) //nolint:gosec // positive
		h, err := c.linked(seq, value, b.links[i])
		if err != nil {
			return err
		}
		if err := b.fault(i, h); err != nil {
			return &RecordError{Seq: seq, Kind: h.Kind, Err: err}
		}
		return take(seq, h, value)
	})
	read := scan(p.add)
	if err := p.end(); err != nil {
		return err
	}
	return read
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
