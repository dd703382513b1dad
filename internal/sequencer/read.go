package sequencer

import (
	"errors"
	"fmt"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
)

// Events are the view events of a record. read is asked for its opening record
// where they need it.
func (s *Sequencer) Events(r record.Record, read fold.Reader) ([]fold.Event, error) {
	var opening record.Record
	if seq := fold.OpeningOf(r); seq != 0 {
		var err error
		if opening, err = read(seq); err != nil {
			return nil, err
		}
	}
	return fold.Events(r, opening, s.lineage(r.Session)), nil
}

// lineage is the session's, which never changes.
func (s *Sequencer) lineage(id approval.ID) (lineage []approval.ID) {
	s.View(func(state *fold.State) {
		if session, ok := state.Session(id); ok {
			lineage = session.Lineage
		}
	})
	return lineage
}

// Record reads one record from the log.
func (s *Sequencer) Record(seq uint64) (record.Record, error) {
	value, err := s.cfg.Log.Get(seq)
	if err != nil {
		return record.Record{}, err
	}
	return record.Decode(seq, value)
}

// ScanRange reads the log from one sequence to another, both included, in
// order, and calls fn with the records that wanted admits, until fn returns an
// error, which it returns. It decodes no other record.
func (s *Sequencer) ScanRange(from, to uint64, wanted func(seq uint64, h record.Header) bool, fn func(record.Record) error) error {
	errEnd := errors.New("the end of the range")
	err := s.cfg.Log.Scan(from, func(seq uint64, value []byte) error {
		if seq > to {
			return errEnd
		}
		h, err := record.DecodeHeader(value)
		if err != nil {
			return fmt.Errorf("record %d: %w", seq, err)
		}
		if !wanted(seq, h) {
			return nil
		}
		r, err := record.Decode(seq, value)
		if err != nil {
			return err
		}
		return fn(r)
	})
	if errors.Is(err, errEnd) {
		return nil
	}
	return err
}
