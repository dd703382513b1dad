package log

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const (
	dirMode = 0o700
	// timeLayout is how times are written in files that people read.
	timeLayout = "2006-01-02T15:04:05.000Z07:00"
)

// MakeDirs creates dir and its missing parents, readable by the owner alone,
// and returns when their names are durable. Directories that exist keep their
// modes: they are the user's. Whoever puts something into a state directory
// before its daemon does creates it with this, or the log may vanish with the
// directory's name.
func MakeDirs(dir string) error {
	var missing []string
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		_, err := os.Stat(d)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		missing = append(missing, d)
	}
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return err
	}
	for _, d := range missing {
		if err := syncDir(filepath.Dir(d)); err != nil {
			return err
		}
	}
	return nil
}

// syncDir makes the names in dir durable. EINVAL is how a file system says
// that it has no such notion, and then there is nothing more to do.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, unix.EINVAL) {
		return err
	}
	return nil
}

// replaceFile replaces the file at path by data: whoever reads it finds the old
// content or the new. It may be lost with the machine, but not with the
// process. Only one process at a time may do so, since the name of the temporary
// file is fixed, so that crashes leave one at most.
func replaceFile(path string, data []byte) error {
	tmp := path + ".tmp"
	err := os.WriteFile(tmp, data, fileMode)
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		_ = os.Remove(tmp) // the next write tries again
	}
	return err
}

// Rename gives a file another name in its file system, durable when it returns.
// What had that name is gone.
func Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return syncDir(filepath.Dir(to))
}

// Vacant reports whether a directory can become a state directory: it does not
// exist, or holds nothing but what an Acquire leaves.
func Vacant(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if e.Name() != lockFile {
			return false, nil
		}
	}
	return true, nil
}
