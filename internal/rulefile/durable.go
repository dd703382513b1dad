package rulefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Stores are readable by their owner alone.
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// putInPlace replaces the file at path by text, creating its directory: whoever
// reads it, now or after a crash, finds the old text or the new one whole. An
// error says that it is the old one. Which it is after a power cut is settled
// by syncDir.
//
// Only one process at a time may do so, since the name of the file on its way
// is fixed: what a crash leaves is one file, which the next write clears away, or
// Tidy.
func putInPlace(path string, text []byte) error {
	dir, name := filepath.Split(path)
	if err := makeDirs(filepath.Clean(dir)); err != nil {
		return err
	}
	fresh := filepath.Join(dir, underWay(name))
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := writeSynced(fresh, text)
	if err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		_ = os.Remove(fresh) // the next write tries again
	}
	return err
}

// writeSynced makes a file whose content is durable, and whose name is not.
func writeSynced(path string, text []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

// makeDirs creates dir and what is missing above it, each durable in its
// parent.
func makeDirs(dir string) error {
	_, err := os.Stat(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := makeDirs(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := os.Mkdir(dir, dirMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(filepath.Dir(dir))
}

// syncDir makes the names in dir durable. EINVAL is how a file system says that
// it has no such notion.
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
