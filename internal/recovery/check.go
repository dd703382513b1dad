package recovery

import (
	"errors"
	"fmt"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/record"
)

// RecordError says that a record cannot be taken for what was written in its
// place, or that this version cannot read it. What is behind it cannot be
// served either: a part of a log taken for the log loses decisions.
type RecordError struct {
	Seq  uint64
	Kind record.Kind // by its header; 0 where there is none
	Err  error       // the sentence, with sequence and kind
}

func (e *RecordError) Error() string { return e.Err.Error() }
func (e *RecordError) Unwrap() error { return e.Err }

// Newer reports whether nothing is wrong with the record but that a later
// version of approvald wrote it.
func (e *RecordError) Newer() bool { return newer(e.Err) }

func newer(err error) bool {
	return errors.Is(err, record.ErrKind) || errors.Is(err, record.ErrVersion)
}

// Checker holds the records of a log, one after another from the first on,
// against what each says of itself and of those before it: checksum, link, kind,
// version, body, and the record before it in its session, along which a session
// is read. The zero Checker is at the beginning of a log.
type Checker struct {
	chain record.Chain
	last  map[approval.ID]uint64 // of each session, its last record
}

// Chain is the link that the next record must carry: the head of the chain over
// the records so far.
func (c *Checker) Chain() record.Chain { return c.chain }

// Next decodes the record at seq. The error is a RecordError; the record is
// then not part of the chain.
func (c *Checker) Next(seq uint64, value []byte) (record.Record, error) {
	r, err := record.Decode(seq, value)
	if err == nil || newer(err) { // whose checksum holds
		if h, headErr := record.DecodeHeader(value); headErr == nil && h.Chain != c.chain {
			err = fmt.Errorf("record %d (%s) does not follow the record before it: the log was altered", seq, h.Kind)
		}
	}
	if err != nil {
		var kind record.Kind
		if h, headErr := record.DecodeHeader(value); headErr == nil {
			kind = h.Kind
		}
		return record.Record{}, &RecordError{Seq: seq, Kind: kind, Err: err}
	}
	if err := c.previous(r); err != nil {
		return record.Record{}, err
	}
	c.chain = record.ChainOf(value)
	return r, nil
}

// previous holds the link of a record within its session. Those of no session
// have none.
func (c *Checker) previous(r record.Record) error {
	if want := c.last[r.Session]; r.Prev != want {
		return &RecordError{Seq: r.Seq, Kind: r.Kind, Err: fmt.Errorf(
			"record %d (%s) names %d as the record before it in its session, which is %d", r.Seq, r.Kind, r.Prev, want)}
	}
	if r.Session == (approval.ID{}) {
		return nil
	}
	if c.last == nil {
		c.last = map[approval.ID]uint64{}
	}
	c.last[r.Session] = r.Seq
	return nil
}
