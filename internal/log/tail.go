package log

import (
	"encoding/binary"
	"fmt"
	"os"
)

// Tail returns the last value of the log at path and its sequence, both zero
// where the log is empty, while a daemon may be writing the log: it takes no
// lock, and what it reads is believed only if no commit went by meanwhile
// (Snapshot says why that is sound). Nothing before the last value is looked at.
func Tail(path string) (seq uint64, value []byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, nil, fmt.Errorf("opening the log: %w", err)
	}
	defer file.Close()
	for range snapshotTries {
		r := &Reader{path: path, file: file}
		seq, value, err := r.tail()
		now, _, moved := readHeaderPages(file)
		if moved == nil && r.header.raw != nil && now.txid != r.header.txid {
			continue
		}
		return seq, value, err
	}
	return 0, nil, fmt.Errorf("%w: %s", ErrBusy, path)
}

func (r *Reader) tail() (seq uint64, value []byte, err error) {
	if err := r.read(); err != nil {
		return 0, nil, err
	}
	if r.lost != nil {
		return 0, nil, r.lostPages(1, r.lost)
	}
	if !r.log.bucket {
		return 0, nil, nil // a first start got no further
	}
	e, found, err := newFinder(r.file, r.header).last(r.log)
	switch {
	case err != nil:
		return 0, nil, r.lostPages(0, err)
	case !found:
		return 0, nil, nil
	}
	return binary.BigEndian.Uint64(e.key), e.value, nil
}
