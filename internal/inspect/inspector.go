// Package inspect looks at the outside before policy is asked: where a path really leads, which
// directory a name means, which host an address spells, which process a pid is (policy.md "Files,
// network, process, tools"). Its findings are recorded with the action for ever, so it answers only
// what is certain and refuses the rest with a sentence that says what to give instead; callers turn
// every refusal into -32602.
//
// Findings hold for the moment in which they were made. Resolution is not atomic: whoever can change
// links can change what a path means right after, so a permit names the real path, and is checked
// again when it is consumed (protocol §7).
//
// Case is kept as written: two spellings of one name on a file system that folds case are two paths.
package inspect

import (
	"io/fs"
	"os"
)

// FS is a whole file system, rooted at "/": names have no leading slash, as fs.ValidPath wants them,
// and the root is ".". Lstat and ReadLink must not follow the last component. os.DirFS("/") and
// fstest.MapFS are ones.
type FS interface {
	fs.FS
	ReadLink(name string) (string, error)
	Lstat(name string) (fs.FileInfo, error)
}

// Inspector looks at one file system. It keeps nothing between calls and may be used by any number
// of goroutines at once as far as its file system may.
type Inspector struct {
	fsys FS
}

// New returns an Inspector of fsys, which the caller must not change while a call runs.
func New(fsys FS) *Inspector { return &Inspector{fsys: fsys} }

// Host returns an Inspector of the file system of this process.
func Host() *Inspector {
	root, ok := os.DirFS("/").(FS)
	if !ok {
		panic("inspect: os.DirFS is documented to implement fs.ReadLinkFS, which is FS")
	}
	return New(root)
}
