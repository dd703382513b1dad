package log

import (
	"errors"
	"fmt"
)

var (
	// ErrNotFound says that the log has no value with that sequence: it is 0
	// or beyond the head.
	ErrNotFound = errors.New("the log has no such sequence")

	// ErrFailed says that an earlier Append failed, that this one has written
	// nothing, and that no later one will. It is joined with the first cause.
	// Opening the file again is the only way on.
	ErrFailed = errors.New("the log takes no more values since an append failed")

	// ErrClosed says that Close was called before.
	ErrClosed = errors.New("the log is closed")
)

// InUseError says that another process, or another Log of this one, has the
// file open.
type InUseError struct{ Path string }

func (e *InUseError) Error() string {
	return fmt.Sprintf("the log %s is in use by another process: "+
		"stop that process, or choose another state directory", e.Path)
}

// FormatError says that the file was written in a format that this program
// does not read. Nothing was changed.
type FormatError struct {
	Path   string
	Format string // as found in the file
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("the log %s has format %q and this approvald reads format %q only: "+
		"use the version of approvald that wrote it", e.Path, e.Format, format)
}

// DamagedError says that what was read cannot have been left by any crash that
// the package comment assumes, or is not a log at all.
type DamagedError struct {
	Path  string // empty for a log in memory
	Seq   uint64 // the sequence that is missing or unusable, 0 if it is not one
	What  string // a clause: what was found
	NoLog bool   // nothing in the file could be a value of a log
	Pages bool   // pages are lost, as far as a Reader can tell; what was in them may be there (Rescue)
}

func (e *DamagedError) Error() string {
	name := "the log " + e.Path
	if e.Path == "" {
		name = "the log in memory"
	}
	if e.Seq != 0 {
		return fmt.Sprintf("%s is damaged at sequence %d: %s", name, e.Seq, e.What)
	}
	return fmt.Sprintf("%s is damaged: %s", name, e.What)
}

// catchDamage is deferred around reads of the memory map and turns a panic
// into a DamagedError: bbolt asserts on pages that make no sense, and reading
// a page that the file no longer has is a fault. Callers set
// debug.SetPanicOnFault, and run no code but bbolt's and this package's.
func catchDamage(path string, err *error) {
	if r := recover(); r != nil {
		*err = &DamagedError{Path: path, What: fmt.Sprintf("reading a page failed (%v)", r)}
	}
}

// notFound names the sequence that ErrNotFound is about.
func notFound(seq, head uint64) error {
	return fmt.Errorf("%w: %d, the last is %d", ErrNotFound, seq, head)
}
