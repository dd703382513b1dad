package log

import (
	"encoding/binary"
	"errors"
	"time"

	"go.etcd.io/bbolt"
)

// format is the version of the layout: the buckets, the keys, and what is in
// the bucket meta. What is inside the values has versions of its own.
const format = "1"

var (
	logBucket  = []byte("log")
	metaBucket = []byte("meta")
	formatKey  = []byte("format")
	createdKey = []byte("created") // RFC 3339 UTC with milliseconds, for people
)

// errEmpty says that the file has no bucket: a first start got no further.
var errEmpty = errors.New("the file holds nothing yet")

// load checks that the file is a log of this format, makes it one if it is
// empty, and finds the head.
func (l *Log) load() error {
	err := l.view(l.check)
	if errors.Is(err, errEmpty) {
		return l.makeBuckets()
	}
	return err
}

func (l *Log) check(tx *bbolt.Tx) error {
	if name, _ := tx.Cursor().First(); name == nil {
		return errEmpty
	}
	log, meta := tx.Bucket(logBucket), tx.Bucket(metaBucket)
	if log == nil || meta == nil {
		return &DamagedError{Path: l.path, NoLog: true, What: "it is a bbolt file of some other program"}
	}
	if found := string(meta.Get(formatKey)); found != format {
		return &FormatError{Path: l.path, Format: found}
	}
	return l.findHead(log.Cursor())
}

// findHead looks at both ends only; holes between them are found by Scan.
func (l *Log) findHead(c *bbolt.Cursor) error {
	first, _ := c.First()
	if first == nil {
		return nil
	}
	last, _ := c.Last()
	if len(first) != 8 || len(last) != 8 {
		return &DamagedError{Path: l.path, What: "it has a key that is not a sequence"}
	}
	if binary.BigEndian.Uint64(first) != 1 {
		return &DamagedError{Path: l.path, Seq: 1, What: "there is no such value"}
	}
	l.head.Store(binary.BigEndian.Uint64(last))
	return nil
}

// makeBuckets writes both in one transaction, so that a file with one has the
// other.
func (l *Log) makeBuckets() error {
	return l.db.Update(func(tx *bbolt.Tx) error {
		if _, err := tx.CreateBucket(logBucket); err != nil {
			return err
		}
		meta, err := tx.CreateBucket(metaBucket)
		if err != nil {
			return err
		}
		if err := meta.Put(formatKey, []byte(format)); err != nil {
			return err
		}
		return meta.Put(createdKey, []byte(time.Now().UTC().Format(timeLayout)))
	})
}
