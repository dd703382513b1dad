package log

import "bytes"

// A chunk is read in one transaction and delivered after it. Its bounds keep
// the transaction short and the copies few: at most chunkRecords values, and
// no further value once chunkBytes are reached.
const (
	chunkRecords = 1024
	chunkBytes   = 1 << 20
)

// entry is a value copied out of a transaction.
type entry struct {
	seq   uint64
	value []byte
}

// chunk is reused from one transaction to the next; the values in it are not.
type chunk struct {
	entries []entry
	bytes   int
}

// add copies v into the chunk and returns the copy.
func (c *chunk) add(seq uint64, v []byte) []byte {
	v = bytes.Clone(v)
	c.entries = append(c.entries, entry{seq, v})
	c.bytes += len(v)
	return v
}

func (c *chunk) full() bool {
	return len(c.entries) == chunkRecords || c.bytes >= chunkBytes
}

// deliver hands each entry to fn, outside of any transaction, and leaves the
// chunk empty. It stops at fn's first error and returns it as it is.
func (c *chunk) deliver(fn func(seq uint64, value []byte) error) error {
	for _, e := range c.entries {
		if err := fn(e.seq, e.value); err != nil {
			return err
		}
	}
	clear(c.entries) // let go of the values that fn has let go of
	c.entries, c.bytes = c.entries[:0], 0
	return nil
}
