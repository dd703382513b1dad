package log

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Reader reads a log that nobody writes, damaged or not: what Open refuses
// because a part of it makes no sense can be read here up to that part. It
// reads the pages of the file itself, so that no damage makes it fault, loop or
// ask for memory without bound. It has bbolt's lock on the file, shared: there
// may be several readers, and a daemon cannot start meanwhile. It changes
// nothing. Not safe for concurrent use.
type Reader struct {
	path    string
	file    *os.File
	has     int64 // the bytes of the file
	header  headerPage
	headers int
	log     element // the bucket; its value is a copy
	meta    element
	lost    error  // why the buckets are not found; nil where they are
	pages   *pages // of the last Scan
	finder  *finder
}

// OpenReader opens the log at path for reading. A missing file is
// fs.ErrNotExist; one that a process writes is InUseError, which Snapshot gets
// around; FormatError is a log of another format; a file in which nothing can
// be found that could be a value is a DamagedError with NoLog set.
func OpenReader(path string) (*Reader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the log: %w", err)
	}
	r := &Reader{path: path, file: file}
	if err := r.open(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return r, nil
}

func (r *Reader) open() error {
	if err := r.lock(); err != nil {
		return err
	}
	return r.read()
}

// read finds out what the file is and where its values are.
func (r *Reader) read() error {
	info, err := r.file.Stat()
	if err != nil {
		return fmt.Errorf("opening the log: %w", err)
	}
	if r.has = info.Size(); r.has == 0 {
		return r.noLog("it is empty, as after a first start that was cut short, " +
			"which the next start finishes, or after the loss of all that was in it")
	}
	r.header, r.headers, err = readHeaderPages(r.file)
	if errors.Is(err, errNoHeaderPage) {
		return r.noLog("it does not begin as a bbolt file: " + err.Error())
	}
	if err != nil {
		return fmt.Errorf("opening the log %s: %w", r.path, err)
	}
	buckets, err := r.findBuckets(newPages(r.file, r.header))
	if err != nil {
		r.lost, r.log = err, element{}
		return nil //nolint:nilerr // Scan says so, and Rescue may find what is left
	}
	if buckets == 0 {
		return nil // a first start got no further
	}
	if !r.log.bucket || !r.meta.bucket {
		return r.noLog("it is a bbolt file of some other program")
	}
	return r.checkFormat()
}

// lock takes the lock that bbolt takes, shared.
func (r *Reader) lock() error {
	for deadline := time.Now().Add(lockTimeout); ; poll() {
		switch err := flock(r.file, unix.LOCK_SH); {
		case err == nil:
			return nil
		case !errors.Is(err, unix.EWOULDBLOCK):
			return fmt.Errorf("locking the log %s: %w", r.path, err)
		case !time.Now().Before(deadline):
			return &InUseError{Path: r.path}
		}
	}
}

// findBuckets looks through the tree of buckets, and counts them.
func (r *Reader) findBuckets(p *pages) (found int, err error) {
	err = p.walk(binary.NativeEndian.Uint64(r.header.raw[offsetRoot:]), 0, bounds{}, func(e element) error {
		found++
		own := element{e.bucket, nil, bytes.Clone(e.value)}
		switch {
		case bytes.Equal(e.key, logBucket):
			r.log = own
		case bytes.Equal(e.key, metaBucket):
			r.meta = own
		}
		return nil
	})
	return found, err
}

func (r *Reader) checkFormat() error {
	found := ""
	err := newPages(r.file, r.header).bucket(r.meta, func(e element) error {
		if bytes.Equal(e.key, formatKey) {
			found = string(e.value)
		}
		return nil
	})
	if err != nil {
		r.lost = err
		return nil //nolint:nilerr // as above: the records say by themselves what they are
	}
	if found != format {
		return &FormatError{Path: r.path, Format: found}
	}
	return nil
}

// Path returns the path that was given to OpenReader.
func (r *Reader) Path() string { return r.path }

// Size is how many bytes the log has by its header page. The file has more, or,
// damaged, less.
func (r *Reader) Size() int64 { return r.header.size() }

// Headers is how many of the two header pages hold. One is what a commit leaves
// that a crash cut short. If there was no crash, that page may have been the
// newer one, and the last commit is lost with it.
func (r *Reader) Headers() int { return r.headers }

// Scan calls fn for each value from sequence 1 on, ascending, as far as they
// can be read and have no hole. The value is fn's until it returns. fn's error
// stops the scan and is returned as it is. Where the values end before the file
// says so, the error is a DamagedError with the first sequence that is not
// there.
func (r *Reader) Scan(fn func(seq uint64, value []byte) error) error {
	r.pages = nil
	p := newPages(r.file, r.header)
	if r.lost != nil {
		return r.lostPages(1, r.lost)
	}
	if _, err := r.findBuckets(p); err != nil { // they were found before
		return r.lostPages(1, err)
	}
	if !r.log.bucket {
		return nil
	}
	next := uint64(1)
	err := p.bucket(r.log, func(e element) error {
		switch {
		case len(e.key) != 8:
			return r.damaged(next, "in its place is a key that is not a sequence")
		case !isKey(e.key, next):
			return r.damaged(next, "there is no such value")
		case e.bucket:
			return r.damaged(next, "what is there is not a value")
		}
		if err := fn(next, e.value); err != nil {
			return err
		}
		next++
		return nil
	})
	if fault, ok := errors.AsType[*pageError](err); ok {
		return r.lostPages(next, fault)
	}
	r.pages = p
	return err
}

// CheckStructure holds the pages of the file against each other: each is in use
// once, or free. The error is a DamagedError without a sequence: all values are
// there all the same. It is about the pages that the Scan before it has met,
// which must have ended without an error.
func (r *Reader) CheckStructure() error {
	if r.has < r.Size() {
		return r.damaged(0, shortFile(r.has, r.Size()))
	}
	if r.pages == nil || !r.log.bucket {
		return nil
	}
	p := r.pages
	r.pages = nil // it is marked in there what was met
	err := p.bucket(r.meta, func(element) error { return nil })
	if err == nil {
		err = p.checkFree()
	}
	if err == nil {
		err = p.checkLost()
	}
	if err != nil {
		return r.damaged(0, r.explain(err))
	}
	return nil
}

// Last is the last sequence that the log has a key for, whatever is before it;
// 0 where it cannot be found.
func (r *Reader) Last() uint64 {
	if len(r.log.value) < bucketHead {
		return 0
	}
	raw := r.log.value[bucketHead:]
	p := newPages(r.file, r.header)
	for id, depth := binary.NativeEndian.Uint64(r.log.value), 1; id != 0; depth++ {
		var err error
		if raw, err = p.read(id, depth); err != nil {
			return 0
		}
		id = 0
		if flagsOf(raw) == pageBranch {
			_, id, _ = branchElement(raw, countOf(raw)-1)
		}
	}
	if len(raw) < pageHead || flagsOf(raw) != pageLeaf || countOf(raw) == 0 {
		return 0
	}
	last, ok := leafElement(raw, countOf(raw)-1)
	if !ok || len(last.key) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(last.key)
}

// explain says why a page makes no sense; if the file lost its end, by that.
func (r *Reader) explain(err error) string {
	if r.has < r.Size() {
		return shortFile(r.has, r.Size())
	}
	return err.Error()
}

func (r *Reader) lostPages(seq uint64, err error) error {
	return &DamagedError{Path: r.path, Seq: seq, What: r.explain(err), Pages: true}
}

func (r *Reader) damaged(seq uint64, what string) error {
	return &DamagedError{Path: r.path, Seq: seq, What: what}
}

func (r *Reader) noLog(what string) error {
	return &DamagedError{Path: r.path, NoLog: true, What: what}
}

// Close gives the file and its lock back.
func (r *Reader) Close() error {
	if err := r.file.Close(); err != nil {
		return fmt.Errorf("closing the log %s: %w", r.path, err)
	}
	return nil
}
