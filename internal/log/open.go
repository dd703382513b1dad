package log

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
	"golang.org/x/sys/unix"
)

const (
	fileMode = 0o600
	// lockTimeout is how long Open waits for another process to let go of the
	// file: long enough for one that is just ending.
	lockTimeout = time.Second
	// mapSize is reserved address space, not memory and not file size: 8 GiB on
	// 64-bit, 256 MiB on 32-bit. A file that outgrows its map is mapped anew,
	// for which the writer waits until no reader is left (perf §2.4).
	mapSize = 1 << (28 + 5*(^uint(0)>>63))
)

// Open opens the log at path, or creates it (mode 0600) together with missing
// parent directories (mode 0700). The caller holds the Lock of the state
// directory. Open reads an existing file once from start to end, and fails
// with InUseError, FormatError or DamagedError without having changed it. What
// it finds is durable when it returns.
func Open(path string) (*Log, error) {
	if err := MakeDirs(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("creating the directory of the log %s: %w", path, err)
	}
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist), err == nil && info.Mode().IsRegular() && info.Size() == 0:
		if err := create(path); err != nil {
			return nil, fmt.Errorf("creating the log %s: %w", path, err)
		}
	case err != nil:
		return nil, fmt.Errorf("opening the log: %w", err)
	}
	if err := checkFile(path); err != nil {
		return nil, err
	}
	l, err := openFile(path)
	if err != nil {
		return nil, err
	}
	if l.Head() == 0 {
		// The Open that gave the file its name may not have come as far as this;
		// one after which a value was appended has.
		err = syncDir(filepath.Dir(path))
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// create makes an empty log beside path and gives it that name when it is whole
// and durable, so that neither a crash nor a full disk leaves half of a log
// there, which the next Open would have to take for damage. What an earlier try
// left is cleared away.
func create(path string) error {
	fresh := path + ".new"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	l, err := openFile(fresh)
	if err == nil {
		err = l.Close()
	}
	if err == nil {
		err = Rename(fresh, path)
	}
	if err != nil {
		_ = os.Remove(fresh) // the next Open tries again
	}
	return err
}

// openFile opens a file that is a log, or becomes one.
func openFile(path string) (*Log, error) {
	db, err := openBolt(path)
	if err != nil {
		return nil, err
	}
	l := &Log{path: path, db: db}
	l.commit = l.put
	if err := l.load(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return l, nil
}

// openBolt opens the file with the options of design §4; those that are not
// named here are bbolt's defaults, the synced freelist among them.
func openBolt(path string) (db *bbolt.DB, err error) {
	var file *os.File
	defer func() {
		// bbolt lets go of the file when it returns an error but not when it
		// panics. Its memory map stays then, and with it the lock, unless the
		// lock is given up by name.
		if err != nil && file != nil {
			_ = unix.Flock(int(file.Fd()), unix.LOCK_UN)
			_ = file.Close()
		}
	}()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer catchDamage(path, &err)

	db, err = bbolt.Open(path, fileMode, &bbolt.Options{
		Timeout:         lockTimeout,
		FreelistType:    bbolt.FreelistMapType,
		InitialMmapSize: mapSize,
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			f, err := os.OpenFile(name, flag, mode)
			file = f
			return f, err
		},
	})
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return nil, &InUseError{Path: path}
	case errors.Is(err, berrors.ErrInvalid),
		errors.Is(err, berrors.ErrChecksum),
		errors.Is(err, berrors.ErrVersionMismatch):
		return nil, &DamagedError{Path: path, NoLog: true, What: fmt.Sprintf("it does not begin as a bbolt file (%v); "+
			"if it is left from a first start that was cut short it holds nothing: remove it", err)}
	case err != nil:
		return nil, fmt.Errorf("opening the log %s: %w", path, err)
	}
	return db, nil
}
