package scenario

import (
	"io/fs"
	"path"
	"strings"
	"sync"
)

// tree is the file system of a scenario: a flat map in which a name also makes the directories
// above it. It is an inspect.FS. It has no ReadDir, which inspection does not need, and follows
// no links, which inspection does by itself. It is safe for concurrent use.
type tree struct {
	mu      sync.Mutex
	entries map[string]*entry // by absolute clean path
}

func newTree(files map[string]*entry) *tree {
	t := &tree{entries: make(map[string]*entry)}
	t.change(files)
	return t
}

// change adds and replaces entries; nil removes one, with all below it.
func (t *tree) change(files map[string]*entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for name, e := range files {
		if e == nil {
			t.remove(name)
		}
	}
	for name, e := range files {
		if e != nil {
			t.entries[name] = e
		}
	}
}

func (t *tree) remove(name string) {
	for other := range t.entries {
		if other == name || strings.HasPrefix(other, name+"/") {
			delete(t.entries, other)
		}
	}
}

// look finds what is at a name of package fs.
func (t *tree) look(op, name string) (named, error) {
	if !fs.ValidPath(name) {
		return named{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	abs := path.Join("/", name)
	t.mu.Lock()
	defer t.mu.Unlock()
	if e, ok := t.entries[abs]; ok {
		return named{e, path.Base(abs)}, nil
	}
	if abs == "/" || t.holds(abs) {
		return named{&entry{mode: fs.ModeDir}, path.Base(abs)}, nil
	}
	return named{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
}

func (t *tree) holds(dir string) bool {
	for name := range t.entries {
		if strings.HasPrefix(name, dir+"/") {
			return true
		}
	}
	return false
}

// Lstat implements inspect.FS.
func (t *tree) Lstat(name string) (fs.FileInfo, error) {
	found, err := t.look("lstat", name)
	if err != nil {
		return nil, err
	}
	return found, nil
}

// ReadLink implements inspect.FS.
func (t *tree) ReadLink(name string) (string, error) {
	found, err := t.look("readlink", name)
	switch {
	case err != nil:
		return "", err
	case found.mode != fs.ModeSymlink:
		return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	return found.text, nil
}

// Open implements fs.FS for regular files.
func (t *tree) Open(name string) (fs.File, error) {
	found, err := t.look("open", name)
	switch {
	case err != nil:
		return nil, err
	case !found.mode.IsRegular():
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return &file{Reader: strings.NewReader(found.text), info: found}, nil
}

// file is an open regular file.
type file struct {
	*strings.Reader
	info named
}

// Stat implements fs.File.
func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }

// Close implements fs.File.
func (f *file) Close() error { return nil }
