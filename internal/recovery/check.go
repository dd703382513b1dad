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
	last  map[approval.ID]uint64 // of each session but at, its last record
	// at is the session of the last record, and atSeq its last record: the next
	// one is often of the same session.
	at    approval.ID
	atSeq uint64
}

// Chain is the link that the next record must carry: the head of the chain over
// the records so far.
func (c *Checker) Chain() record.Chain { return c.chain }

// Next checks and decodes the record at seq. The error is a RecordError; the
// record is then not part of the chain.
func (c *Checker) Next(seq uint64, value []byte) (record.Record, error) {
	h, err := c.check(seq, value)
	if err != nil {
		return record.Record{}, err
	}
	r, err := record.DecodeBody(seq, h, value)
	if err != nil {
		return record.Record{}, &RecordError{Seq: seq, Kind: h.Kind, Err: err}
	}
	c.advance(seq, h, record.ChainOf(value))
	return r, nil
}

// linked checks the header of the record at seq, whose link, ChainOf its bytes,
// is most of the work and has been done. What passes decodes, unless a faulty
// writer wrote it.
func (c *Checker) linked(seq uint64, value []byte, link record.Chain) (record.Header, error) {
	h, err := c.check(seq, value)
	if err == nil {
		c.advance(seq, h, link)
	}
	return h, err
}

func (c *Checker) check(seq uint64, value []byte) (record.Header, error) {
	h, err := record.CheckHeader(seq, value)
	switch want := c.lastOf(h.Session); {
	case (err == nil || newer(err)) && h.Chain != c.chain:
		err = fmt.Errorf("record %d (%s) does not follow the record before it: the log was altered", seq, h.Kind)
	case err == nil && h.Prev != want:
		err = fmt.Errorf("record %d (%s) names %d as the record before it in its session, which is %d", seq, h.Kind, h.Prev, want)
	}
	if err != nil {
		return record.Header{}, &RecordError{Seq: seq, Kind: h.Kind, Err: err}
	}
	return h, nil
}

func (c *Checker) advance(seq uint64, h record.Header, link record.Chain) {
	c.chain = link
	if h.Session.IsZero() {
		return // of no session, and of no chain within one
	}
	if h.Session != c.at {
		if c.last == nil {
			c.last = map[approval.ID]uint64{}
		}
		c.last[c.at] = c.atSeq // of none at first, which has none
		c.at = h.Session
	}
	c.atSeq = seq
}

func (c *Checker) lastOf(session approval.ID) uint64 {
	if session == c.at {
		return c.atSeq
	}
	return c.last[session]
}
