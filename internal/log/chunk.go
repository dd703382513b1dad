package log

import "bytes"

// A chunk is read in one transaction and delivered after it. Its bounds keep
// the transaction short and the copies few: at most chunkRecords values, and
// no further value once chunkBytes are reached. The first chunk of a read is a
// page, since many a reader wants no more, and each is twice the one before.
const (
	pageRecords  = 64
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

func newChunk() *chunk { return &chunk{entries: make([]entry, 0, pageRecords)} }

// add copies v into the chunk and returns the copy.
func (c *chunk) add(seq uint64, v []byte) []byte {
	v = bytes.Clone(v)
	c.entries = append(c.entries, entry{seq, v})
	c.bytes += len(v)
	return v
}

func (c *chunk) full() bool {
	return len(c.entries) == cap(c.entries) || c.bytes >= chunkBytes
}

// deliver hands each entry to fn, outside of any transaction, and leaves the
// chunk empty for the next one. It stops at fn's first error and returns it as
// it is.
func (c *chunk) deliver(fn func(seq uint64, value []byte) error) error {
	for _, e := range c.entries {
		if err := fn(e.seq, e.value); err != nil {
			return err
		}
	}
	c.bytes = 0
	if n := cap(c.entries); n < chunkRecords {
		c.entries = make([]entry, 0, 2*n)
		return nil
	}
	clear(c.entries) // let go of the values that fn has let go of
	c.entries = c.entries[:0]
	return nil
}
