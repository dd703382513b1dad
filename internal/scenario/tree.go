package scenario

import (
	"hash/fnv"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/approvald/approvald/internal/inspect"
)

// tree is the file system of a scenario: a flat map in which a name also makes the directories
// above it. It is an inspect.FS. It does not list directories, and follows no links, which inspection
// does by itself. It is safe for concurrent use.
type tree struct {
	mu      sync.Mutex
	entries map[string]*node // by absolute clean path
	inodes  uint64           // as many files were made so far
}

// node is a file: what all names of it share, and what tells it from the one that replaces it.
type node struct {
	*entry
	inode uint64
}

func newTree(files map[string]*entry) *tree {
	t := &tree{entries: make(map[string]*node)}
	t.change(files)
	return t
}

// change adds and replaces entries; nil removes one, with all below it. What is replaced is another
// file from then on, as if it had been renamed into place. A hard link becomes a name of the file of
// the same list that it leads to.
func (t *tree) change(files map[string]*entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	names := slices.Sorted(maps.Keys(files)) // a directory that folds before what is in it
	for _, name := range names {
		if files[name] == nil {
			t.remove(t.spelling(name))
		}
	}
	for _, name := range names {
		if e := files[name]; e != nil && e.twin == "" {
			t.inodes++
			t.entries[t.spelling(name)] = &node{e, t.inodes}
		}
	}
	for _, name := range names {
		if e := files[name]; e != nil && e.twin != "" {
			t.entries[t.spelling(name)] = t.entries[t.spelling(e.twin)]
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
	known := t.spelling(abs)
	if n, ok := t.entries[known]; ok {
		stat := inspect.Stat{Inode: n.inode, Links: t.links(n), UID: n.uid, GID: n.gid, Folds: n.folds || n.mode.IsDir() && t.foldsAt(abs)}
		return named{n.entry, path.Base(abs), stat}, nil
	}
	if abs == "/" || t.holds(known) {
		implied := &entry{mode: fs.ModeDir | dirPermissions}
		return named{implied, path.Base(abs), inspect.Stat{Inode: impliedInode(known), Links: 2, Folds: t.foldsAt(abs)}}, nil
	}
	return named{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
}

// spelling is the one spelling of a path under which it is known: below a directory that folds, in
// lower case.
func (t *tree) spelling(abs string) string {
	for dir, n := range t.entries {
		if below, found := strings.CutPrefix(abs, dir+"/"); found && n.folds {
			return t.spelling(dir) + "/" + strings.ToLower(below)
		}
	}
	return abs
}

// foldsAt reports whether a path lies below a directory that folds.
func (t *tree) foldsAt(abs string) bool {
	for dir, n := range t.entries {
		if n.folds && strings.HasPrefix(abs, dir+"/") {
			return true
		}
	}
	return false
}

// links counts the names of a file.
func (t *tree) links(n *node) (count uint64) {
	for _, other := range t.entries {
		if other == n {
			count++
		}
	}
	return count
}

// impliedInode is the identity of a directory that is there because of what is in it. It is none
// that change gives out.
func impliedInode(dir string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(dir)) // a hash never fails
	return h.Sum64() | 1<<63
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
	case found.mode.Type() != fs.ModeSymlink:
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
