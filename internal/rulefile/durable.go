package rulefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"
)

// Stores are readable by their owner alone.
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// writeDurably replaces the file at path by text, creating its directory:
// whoever reads it, now or after a crash, finds the old text or the new one
// whole, and the new one once this has returned nil. renameio syncs the file
// before it renames it and leaves the directory to us.
func writeDurably(path string, text []byte) error {
	dir := filepath.Dir(path)
	if err := makeDirs(dir); err != nil {
		return err
	}
	// The temporary file must lie beside its destination; by default renameio
	// looks for a place in TMPDIR first.
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(dir), renameio.WithStaticPermissions(fileMode))
	if err != nil {
		return err
	}
	defer f.Cleanup() //nolint:errcheck // does nothing once the file is in place; the write's error counts
	if _, err := f.Write(text); err != nil {
		return err
	}
	if err := f.CloseAtomicallyReplace(); err != nil {
		return err
	}
	return syncDir(dir)
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
