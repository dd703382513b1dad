package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/approvald/approvald/internal/log"
)

// Salvaged says what came of a Salvage.
type Salvaged struct {
	Report        // of what was kept
	Damage error  // why no more was kept; nil where everything was
	Last   uint64 // the last sequence that the damaged log has a key for; 0 where that cannot be told
}

// ErrNothingHolds says that a log has no record that could be kept.
var ErrNothingHolds = errors.New("not one record of the log holds, so there is nothing to salvage")

// group bounds one commit of a salvage.
const (
	groupRecords = 4096
	groupBytes   = 8 << 20
)

// Salvage writes the records that hold, up to the first that does not, into a
// new log at path; where pages of the file are lost, records that nothing refers
// to any more are taken as well if they carry the chain on. They are written byte for byte and under the same sequences, so that the new
// log has the old one's chain and heads. The damaged log is not changed. The
// new one is verified before it gets its name; until then, and if anything
// fails, there is nothing at path. A file at path is fs.ErrExist.
//
// A log that a newer approvald wrote is not damaged: nothing is salvaged from
// it, since what would be left out is what this version cannot read.
func Salvage(from *log.Reader, path string, progress Progress) (Salvaged, error) {
	if _, err := os.Lstat(path); err == nil {
		return Salvaged{}, fmt.Errorf("write the log %s: %w", path, fs.ErrExist)
	}
	partial := path + ".partial"
	if err := os.Remove(partial); err != nil && !errors.Is(err, fs.ErrNotExist) { // of one that was killed
		return Salvaged{}, fmt.Errorf("remove what an earlier salvage left: %w", err)
	}
	out, err := salvage(from, partial, progress)
	if err == nil {
		err = log.Rename(partial, path)
	}
	if err != nil {
		for _, left := range []string{partial, path} { // it may have its name, and that not be durable
			_ = os.Remove(left) // why it failed is what counts
		}
		return Salvaged{}, err
	}
	return out, nil
}

// salvage writes the new log under the name that it has until it is verified.
func salvage(from *log.Reader, partial string, progress Progress) (Salvaged, error) {
	v := newVerifier(from, Options{Progress: progress})
	var out Salvaged
	err := writing(partial, func(w *writer) error {
		keep := func(seq uint64, value []byte) error {
			if err := v.next(seq, value); err != nil {
				return err
			}
			return w.add(value)
		}
		damage := from.Scan(keep)
		if damage == nil {
			damage = from.CheckStructure()
		}
		if file, ok := errors.AsType[*log.DamagedError](damage); ok && file.Pages {
			if err := from.Rescue(v.report.Records+1, keep); err != nil && !isDamage(err) {
				return err
			}
		}
		out = Salvaged{Report: v.result(), Damage: damage, Last: from.Last()}
		if damage != nil && !isDamage(damage) {
			return damage // of the writing, or a newer version's log
		}
		if out.Records == 0 && damage != nil {
			return fmt.Errorf("%w: %w", ErrNothingHolds, damage)
		}
		return w.flush()
	})
	if err != nil {
		return Salvaged{}, err
	}
	return out, proveCopy(partial, out.Report)
}

func isDamage(err error) bool {
	_, _, damaged := Damage(err)
	return damaged
}

// proveCopy holds that a log is whole, and ends as a report says.
func proveCopy(path string, want Report) error {
	r, err := log.OpenReader(path)
	if err != nil {
		return fmt.Errorf("verify the copy: %w", err)
	}
	got, err := Verify(r, Options{})
	if err := errors.Join(err, r.Close()); err != nil {
		return fmt.Errorf("verify the copy: %w", err)
	}
	if got.Records != want.Records || got.Head != want.Head {
		return fmt.Errorf("verify the copy %s: it holds %d records that end in %x, and %d that end in %x were written",
			path, got.Records, got.Head, want.Records, want.Head)
	}
	return nil
}

// writer appends in groups.
type writer struct {
	log    *log.Log
	values [][]byte
	bytes  int
}

// writing has do write a new log, and closes it.
func writing(path string, do func(*writer) error) error {
	if err := log.MakeDirs(filepath.Dir(path)); err != nil {
		return fmt.Errorf("create the directory of the new log: %w", err)
	}
	l, err := log.Open(path)
	if err != nil {
		return fmt.Errorf("create the new log: %w", err)
	}
	return errors.Join(do(&writer{log: l}), l.Close())
}

func (w *writer) add(value []byte) error {
	w.values = append(w.values, append([]byte(nil), value...))
	w.bytes += len(value)
	if len(w.values) < groupRecords && w.bytes < groupBytes {
		return nil
	}
	return w.flush()
}

func (w *writer) flush() error {
	_, err := w.log.Append(w.values)
	w.values, w.bytes = w.values[:0], 0
	if err != nil {
		return fmt.Errorf("write the new log: %w", err)
	}
	return nil
}
