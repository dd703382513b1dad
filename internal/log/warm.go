package log

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// warmBuffer is large enough that system calls cost nothing beside the copy,
// and small enough that a start does not wait for its pages.
const warmBuffer = 128 << 10

// warm reads what is in the file and forgets it, but for the heads of pages, so
// that it is in the page cache before it is mapped. bbolt asks the kernel for no
// read-ahead on its map: a cold log replayed through it takes 16 times as long as
// reading the file, and 2.2 times after this (perf, fact 9). A file that is in
// the cache costs one copy of it. Besides, an unreadable sector is an error here
// and a fault there.
func warm(file *os.File, pageSize int64, heads pageHeads) error {
	buf := make([]byte, warmBuffer)
	for at := int64(0); ; {
		// bbolt makes the file longer than what is in it: of a new log 16 MiB are
		// a hole, and to read that takes longer than the rest of a start.
		switch data, err := file.Seek(at, unix.SEEK_DATA); {
		case err == nil:
			at = data
		case errors.Is(err, unix.ENXIO): // a hole up to the end
			return nil
		} // a file system that knows of no holes is read from end to end
		n, err := file.Read(buf)
		heads.see(buf[:n], at, pageSize)
		at += int64(n)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading the log at byte %d: %w", at, err)
		}
	}
}
