package inspect

import (
	"io/fs"
	"os"
	"syscall"
)

// hostFS is the file system of this process.
type hostFS struct{ FS }

func newHostFS() hostFS {
	root, ok := os.DirFS("/").(FS)
	if !ok {
		panic("inspect: os.DirFS is documented to implement fs.ReadLinkFS, which is FS")
	}
	return hostFS{root}
}

// Open implements fs.FS. It neither follows a link as the last component nor waits for the other end
// of a FIFO: what was a file when it was looked at may be either by now.
func (hostFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return os.OpenFile("/"+name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
}
