package rulefile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Fault is one thing that is wrong with a file.
type Fault struct { //nolint:errname // a file has faults; what Parse returns are the errors joined of them
	File string // as it was named to Parse or Load
	Line int    // from 1; 0 where the file as a whole is meant
	Why  string // what is wrong, and what to write or do instead
	Err  error  // what caused it; nil for most
}

// Error is "file:line: why", the form that editors jump to.
func (f *Fault) Error() string {
	if f.Line == 0 {
		return fmt.Sprintf("%s: %s", f.File, f.Why)
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Why)
}

// Unwrap gives the cause.
func (f *Fault) Unwrap() error { return f.Err }

// maxFaults bounds what is reported of one file. Whoever has a hundred faults
// to mend will run the check again, and a file of a megabyte could have more
// than anyone can read.
const maxFaults = 100

// faults collects what is wrong with one file.
type faults struct {
	file string
	list []*Fault
	more bool // there were more than maxFaults
}

// add reports one fault.
func (f *faults) add(line int, format string, args ...any) {
	if len(f.list) == maxFaults {
		f.more = true
		return
	}
	f.list = append(f.list, &Fault{File: f.file, Line: line, Why: fmt.Sprintf(format, args...)})
}

// err joins the faults in the order of their lines; nil for none.
func (f *faults) err() error {
	if len(f.list) == 0 {
		return nil
	}
	slices.SortStableFunc(f.list, func(a, b *Fault) int { return cmp.Compare(a.Line, b.Line) })
	var errs []error
	for _, fault := range f.list {
		errs = append(errs, fault)
	}
	if f.more {
		errs = append(errs, &Fault{File: f.file, Why: fmt.Sprintf("there are more faults than these %d; mend them and check again", maxFaults)})
	}
	return errors.Join(errs...)
}
