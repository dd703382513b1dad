package log

import (
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
)

// CheckStructure holds the pages of the file against each other, as far as
// bbolt can: each is in use once or free, and the keys are in order. The error
// is a DamagedError without a sequence: all values may be there all the same.
// Call it after a Scan that has found nothing, since bbolt checks in a
// goroutine in which a page that is not there would end the process.
func (r *Reader) CheckStructure() (err error) {
	if r.has < r.wants {
		return &DamagedError{Path: r.path, What: shortFile(r.has, r.wants)}
	}
	db, err := openBoltReadOnly(r.path, true)
	if err != nil {
		return err
	}
	checked := &Reader{path: r.path, db: db}
	defer func() { err = errors.Join(err, checked.Close()) }()
	if err := checked.view(readOtherBuckets); err != nil {
		return err
	}
	return checked.view(func(tx *bbolt.Tx) error {
		var first error
		faults := 0
		for fault := range tx.Check() {
			if faults++; first == nil {
				first = fault
			}
		}
		if first == nil {
			return nil
		}
		what := fmt.Sprintf("its pages contradict each other: %v", first)
		if faults > 1 {
			what += fmt.Sprintf(" (the first of %d faults)", faults)
		}
		return &DamagedError{Path: r.path, What: what}
	})
}

// readOtherBuckets touches each page that Scan has not.
func readOtherBuckets(tx *bbolt.Tx) error {
	return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
		if string(name) == string(logBucket) {
			return nil
		}
		return b.ForEach(func([]byte, []byte) error { return nil })
	})
}
