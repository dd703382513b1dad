// Package audit reads a log without a daemon: it tells what was asked and
// decided, verifies the log, copies it, and saves from a damaged one what holds.
//
// A log proves itself as far as it goes: each record has a checksum, and a link
// over the whole record before it. The link that the next record would carry,
// the head of the chain, stands for everything up to there. A head that was
// noted elsewhere and is found in the chain later proves that nothing before it
// was rewritten, and that the log was not cut off before it (docs/DURABILITY.md).
package audit

import (
	"errors"
	"time"

	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/recovery"
)

// Report is what is known of the records that hold: all of them, or those
// before the first that does not.
type Report struct {
	Records uint64
	Kinds   map[record.Kind]uint64
	Bytes   int64        // of the records, headers included
	Head    record.Chain // over all of these records; zero where there is none
	First   time.Time    // of the first record and of the last; zero where there is none
	Last    time.Time
	// Proven is the sequence of the record whose head Options.Head is; nil where
	// it is that of none. Zero is the head of the empty log.
	Proven *uint64
}

// Progress is told how many bytes of how many a work has behind it. Its error
// ends the work and is returned as it is. A nil Progress is told nothing.
type Progress func(done, of int64) error

func (p Progress) tell(done, of int64) error {
	if p == nil {
		return nil
	}
	return p(done, of)
}

// Options say what else Verify does. The zero value is nothing.
type Options struct {
	Head     *record.Chain // a head to look for in the chain
	Progress Progress      // told every few records
	// Bodies has every body decoded as well. A body that cannot be decoded was
	// written so, by a faulty writer: what became of it on a disk shows in the
	// checksum. It takes some six times as long.
	Bodies bool
}

// ErrHeadNotFound says that a log holds and that the head that was looked for
// is not in its chain: history was rewritten, cut off, or is that of another
// log.
var ErrHeadNotFound = errors.New("that head is not in the chain of the log")

// Verify holds every record of a log against the log, then the file against
// itself. The error says what is wrong first: a *recovery.RecordError or a
// *log.DamagedError names the first sequence that is damaged; where its
// sequence is 0, all records hold, and the file that they are in does not.
// ErrHeadNotFound is the error of a log in which nothing is wrong. The report
// is about the records that hold, whatever the error.
func Verify(r *log.Reader, o Options) (Report, error) {
	v := newVerifier(r, o)
	err := checked(r, &v.checker, o.Bodies, o.Progress, v.add)
	if err == nil && o.Head != nil && v.report.Proven == nil {
		err = ErrHeadNotFound
	}
	return v.result(), err
}

// verifier adds up what holds.
type verifier struct {
	options Options
	of      int64 // the bytes that progress is a part of
	checker recovery.Checker
	kinds   [256]uint64
	report  Report
}

func newVerifier(r *log.Reader, o Options) *verifier {
	v := &verifier{options: o, of: r.Size()}
	v.look()
	return v
}

// next checks a record, its body included, and adds it to the report.
func (v *verifier) next(seq uint64, value []byte) error {
	r, err := v.checker.Next(seq, value)
	if err != nil {
		return err
	}
	if err := v.add(seq, r.Header, value); err != nil {
		return err
	}
	return v.options.Progress.tell(v.report.Bytes, v.of)
}

// add adds a record that holds to the report.
func (v *verifier) add(seq uint64, h record.Header, value []byte) error {
	v.report.Records++
	v.kinds[h.Kind]++
	v.report.Bytes += int64(len(value))
	v.report.Head = v.checker.Chain()
	if seq == 1 {
		v.report.First = h.At
	}
	v.report.Last = h.At
	v.look()
	return nil
}

// result is the report.
func (v *verifier) result() Report {
	v.report.Kinds = map[record.Kind]uint64{}
	for kind, n := range v.kinds {
		if n > 0 {
			v.report.Kinds[record.Kind(kind)] = n
		}
	}
	return v.report
}

// look compares the head so far with the one that is looked for.
func (v *verifier) look() {
	if h := v.options.Head; h != nil && *h == v.report.Head && v.report.Proven == nil {
		v.report.Proven = new(v.report.Records)
	}
}

// Damage is the first damaged sequence of an error of Verify, the kind of the
// record there and what is wrong; ok is false where the error is about
// something else. Sequence 0 is the file as a whole, an empty kind a record of
// which not even the kind is known.
func Damage(err error) (seq uint64, kind string, ok bool) {
	if r, is := errors.AsType[*recovery.RecordError](err); is {
		if r.Kind != 0 {
			kind = r.Kind.String()
		}
		return r.Seq, kind, !r.Newer()
	}
	if d, is := errors.AsType[*log.DamagedError](err); is {
		return d.Seq, "", true
	}
	return 0, "", false
}
