package log

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// lockFile is what is locked. It is never removed: whoever waits on a removed
// file waits on a lock that guards nothing.
const lockFile = "lock"

// A lock that is taken while daemon.json names nobody belongs to a daemon that
// is starting, to a ReadHolder that is probing, or to a process in another pid
// namespace. The first two are over within milliseconds.
const (
	nameWait = 200 * time.Millisecond
	namePoll = 5 * time.Millisecond
)

// Lock is the right to use a state directory, held by one process at a time.
// The kernel gives it up when the process ends in any way; children do not
// inherit it.
type Lock struct {
	dir  string
	file *os.File // nil once released
}

// HeldError says that another process holds the state directory.
type HeldError struct {
	Dir    string
	Holder Holder // zero if the holder cannot be named
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("the state directory %s is in use by %s: "+
		"stop it, or choose another state directory", e.Dir, e.Holder)
}

// Acquire takes the lock of a state directory and names holder in its
// daemon.json. It creates the directory (mode 0700) if it is missing. It is
// called before anything else in the directory is touched. If another process
// has the lock and does not give it up within wait, the error is a HeldError;
// for a process that is not named the wait is a fifth of a second at least.
//
// A process that was killed has the lock until the kernel has ended it, which
// is a moment after its parent could see it die: who starts in its place waits.
func Acquire(dir string, holder Holder, wait time.Duration) (*Lock, error) {
	if err := MakeDirs(dir); err != nil {
		return nil, fmt.Errorf("creating the state directory %s: %w", dir, err)
	}
	file, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return nil, fmt.Errorf("locking the state directory: %w", err)
	}
	l := &Lock{dir: dir, file: file}
	if err := l.take(wait); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	// What a killed daemon left goes first, so that nobody reads it as ours.
	err = l.removeHolder()
	if err == nil {
		err = writeHolder(dir, holder)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("naming the holder of the state directory %s: %w", dir, err), l.Release())
	}
	return l, nil
}

// take locks the file, or learns who has it locked.
func (l *Lock) take(wait time.Duration) error {
	for began := time.Now(); ; poll() {
		switch err := flock(l.file, unix.LOCK_EX); {
		case err == nil:
			return nil
		case !errors.Is(err, unix.EWOULDBLOCK):
			return fmt.Errorf("locking the state directory %s: %w", l.dir, err)
		}
		holder, named := namedHolder(l.dir)
		if waited := time.Since(began); waited >= wait && (named || waited >= nameWait) {
			return &HeldError{Dir: l.dir, Holder: holder}
		}
	}
}

// Release removes daemon.json and gives the lock up. Releasing twice is
// allowed. Not safe for concurrent use.
func (l *Lock) Release() error {
	if l.file == nil {
		return nil
	}
	err := errors.Join(l.removeHolder(), l.file.Close())
	l.file = nil
	if err != nil {
		return fmt.Errorf("releasing the state directory %s: %w", l.dir, err)
	}
	return nil
}

func (l *Lock) removeHolder() error {
	err := os.Remove(filepath.Join(l.dir, holderFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// ReadHolder reports whether a process holds the lock of dir, and which. The
// Holder is zero if it cannot be named (see HeldError). A directory that
// cannot be read counts as not held: its daemon could not be reached either.
//
// The probe holds a shared lock for an instant if nobody has the lock; an
// Acquire that meets it tries again.
func ReadHolder(dir string) (Holder, bool) {
	file, err := os.Open(filepath.Join(dir, lockFile))
	if err != nil {
		return Holder{}, false
	}
	defer file.Close()
	for deadline := time.Now().Add(nameWait); ; poll() {
		if err := flock(file, unix.LOCK_SH); !errors.Is(err, unix.EWOULDBLOCK) {
			return Holder{}, false
		}
		holder, named := namedHolder(dir)
		if named || !time.Now().Before(deadline) {
			return holder, true
		}
	}
}

// poll waits a little before the lock is tried again: flock has nothing that
// one could wait on with a bound.
func poll() {
	time.Sleep(namePoll) //nolint:forbidigo // see above; the callers bound it
}

// flock locks without waiting; EWOULDBLOCK says that another open file of any
// process has a lock in the way. It lasts until the file is closed.
func flock(file *os.File, how int) error {
	for {
		err := unix.Flock(int(file.Fd()), how|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
