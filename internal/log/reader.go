package log

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// Reader reads a log that nobody writes, damaged or not: what Open refuses
// because a part of it makes no sense can be read here up to that part. It has
// a shared lock on the file, so that readers may be several and a daemon cannot
// start meanwhile. It changes nothing. Not safe for concurrent use.
type Reader struct {
	path    string
	db      *bbolt.DB
	has     int64 // the bytes of the file
	wants   int64 // those that its header page names
	headers int
}

// OpenReader opens the log at path for reading. A missing file is
// fs.ErrNotExist; one that a process writes is InUseError, which Snapshot gets
// around; FormatError is a log of another format; a file in which nothing could
// be a record is a DamagedError with NoLog set.
func OpenReader(path string) (*Reader, error) {
	r := &Reader{path: path}
	if err := r.look(); err != nil {
		return nil, err
	}
	_ = warm(path) // a sector that cannot be read is found where it is needed
	db, err := openBoltReadOnly(path, false)
	if err != nil {
		return nil, err
	}
	r.db = db
	if err := r.view(r.check); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return r, nil
}

// look reads what can be read without the lock.
func (r *Reader) look() error {
	file, err := os.Open(r.path)
	if err != nil {
		return fmt.Errorf("opening the log: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("opening the log: %w", err)
	}
	r.has = info.Size()
	if r.has == 0 {
		return &DamagedError{Path: r.path, NoLog: true, What: "it is empty, as after a first start that was cut short, " +
			"which the next start finishes, or after the loss of all that was in it"}
	}
	newest, holding, err := readHeaderPages(file)
	if err != nil {
		return &DamagedError{Path: r.path, NoLog: true, What: "it does not begin as a bbolt file: " + err.Error()}
	}
	r.wants, r.headers = newest.size(), holding
	return nil
}

// openBoltReadOnly opens a file under a shared lock, with or without the list
// of its free pages, which only a check of the structure needs.
func openBoltReadOnly(path string, freelist bool) (db *bbolt.DB, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer catchDamage(path, &err)
	db, err = bbolt.Open(path, fileMode, &bbolt.Options{
		ReadOnly:        true,
		Timeout:         lockTimeout,
		FreelistType:    bbolt.FreelistMapType,
		PreLoadFreelist: freelist,
		InitialMmapSize: mapSize, // so that a page beyond the file is a fault, and not other memory
	})
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return nil, &InUseError{Path: path}
	case err != nil:
		return nil, fmt.Errorf("opening the log %s: %w", path, err)
	}
	return db, nil
}

func (r *Reader) check(tx *bbolt.Tx) error {
	if name, _ := tx.Cursor().First(); name == nil {
		return nil // a first start got no further
	}
	log, meta := tx.Bucket(logBucket), tx.Bucket(metaBucket)
	if log == nil || meta == nil {
		return &DamagedError{Path: r.path, NoLog: true, What: "it is a bbolt file of some other program"}
	}
	if found := string(meta.Get(formatKey)); found != format {
		return &FormatError{Path: r.path, Format: found}
	}
	return nil
}

// Path returns the path that was given to OpenReader.
func (r *Reader) Path() string { return r.path }

// Size is how many bytes the log has by its header page; the file may have
// more, or, damaged, less.
func (r *Reader) Size() int64 { return r.wants }

// Headers is how many of bbolt's two header pages hold. One is what a commit
// leaves that a crash cut short. If there was no crash, that page may have been
// the newer, and the last commit is lost with it.
func (r *Reader) Headers() int { return r.headers }

// Scan calls fn for each value from sequence 1 on, ascending, as far as they
// can be read and have no hole. The value is fn's until it returns. fn's error
// stops the scan and is returned as it is. Where the values end before the file
// says so, the error is a DamagedError with the first sequence that is not
// there.
func (r *Reader) Scan(fn func(seq uint64, value []byte) error) error {
	var a arena
	for next, more := uint64(1), true; more; {
		var readErr error
		more, readErr = r.read(next, &a)
		for i := range a.ends {
			if err := fn(next, a.value(i)); err != nil {
				return err
			}
			next++
		}
		if readErr != nil {
			return r.damagedAt(next, readErr)
		}
	}
	return nil
}

// read fills a with the values from next on, and reports whether there may be
// more behind them. What it could read before an error is in a.
func (r *Reader) read(next uint64, a *arena) (more bool, err error) {
	a.reset()
	err = r.view(func(tx *bbolt.Tx) error {
		b := tx.Bucket(logBucket)
		if b == nil {
			return nil
		}
		cur := b.Cursor()
		for k, v := cur.Seek(key(next)); k != nil; k, v = cur.Next() {
			switch {
			case len(k) != 8:
				return &DamagedError{Path: r.path, What: "in its place is a key that is not a sequence"}
			case !isKey(k, next):
				return &DamagedError{Path: r.path, What: "there is no such value"}
			case v == nil || int64(len(v)) > r.wants:
				return &DamagedError{Path: r.path, What: "what is there is not a value"}
			}
			a.add(v)
			next++
			if more = len(a.bytes) >= chunkBytes; more {
				return nil
			}
		}
		return nil
	})
	return more, err
}

// damagedAt names the sequence at which reading ended, and why if the file's
// length explains it.
func (r *Reader) damagedAt(seq uint64, err error) error {
	damaged, ok := errors.AsType[*DamagedError](err)
	if !ok {
		return err
	}
	what := damaged.What
	if r.has < r.wants {
		what = shortFile(r.has, r.wants)
	}
	return &DamagedError{Path: r.path, Seq: seq, What: what}
}

// Last is the last sequence by the order of keys, whatever is before it; 0
// where it cannot be read.
func (r *Reader) Last() (seq uint64) {
	err := r.view(func(tx *bbolt.Tx) error {
		if b := tx.Bucket(logBucket); b != nil {
			seq = sequence(b.Cursor().Last())
		}
		return nil
	})
	if err != nil {
		return 0
	}
	return seq
}

// view runs fn in a read transaction and turns what reading a page throws into
// an error.
func (r *Reader) view(fn func(tx *bbolt.Tx) error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer catchDamage(r.path, &err)
	return r.db.View(fn)
}

// Close gives the file back.
func (r *Reader) Close() error {
	if err := r.db.Close(); err != nil {
		return fmt.Errorf("closing the log %s: %w", r.path, err)
	}
	return nil
}

// arena holds the values of one transaction, copied into memory that the next
// one uses again.
type arena struct {
	bytes []byte
	ends  []int
}

func (a *arena) reset() { a.bytes, a.ends = a.bytes[:0], a.ends[:0] }

func (a *arena) add(v []byte) {
	a.bytes = append(a.bytes, v...)
	a.ends = append(a.ends, len(a.bytes))
}

func (a *arena) value(i int) []byte {
	begin := 0
	if i > 0 {
		begin = a.ends[i-1]
	}
	return a.bytes[begin:a.ends[i]:a.ends[i]]
}
