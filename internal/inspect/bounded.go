package inspect

import (
	"errors"
	"io/fs"
)

// errSpent is what a bounded FS answers once its bound is reached.
var errSpent = errors.New("too much is looked up for one command")

// boundedFS looks a bounded number of entries up. Paths of 4 KiB, links over links, and a PATH of
// hundreds of directories multiply, and an agent can make all of them.
type boundedFS struct {
	FS
	left *int
}

// bounded returns an Inspector like i that looks at most n entries up, and what tells whether it
// would have needed more; then nothing that it says holds. It is for one goroutine.
func (i *Inspector) bounded(n int) (look *Inspector, spent func() bool) {
	return New(boundedFS{i.fsys, &n}).As(i.user), func() bool { return n < 0 }
}

func (f boundedFS) spend() error {
	if *f.left--; *f.left < 0 {
		return errSpent
	}
	return nil
}

// Lstat implements FS.
func (f boundedFS) Lstat(name string) (fs.FileInfo, error) {
	if err := f.spend(); err != nil {
		return nil, err
	}
	return f.FS.Lstat(name)
}

// ReadLink implements FS.
func (f boundedFS) ReadLink(name string) (string, error) {
	if err := f.spend(); err != nil {
		return "", err
	}
	return f.FS.ReadLink(name)
}

// Open implements fs.FS.
func (f boundedFS) Open(name string) (fs.File, error) {
	if err := f.spend(); err != nil {
		return nil, err
	}
	return f.FS.Open(name)
}
