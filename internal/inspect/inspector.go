// Package inspect looks at the outside before policy is asked: where a path really leads, which
// directory a name means, which host an address spells, which process a pid is (policy.md "Files,
// network, process, tools"). Its findings are recorded with the action for ever, so it answers only
// what is certain. What an agent must say otherwise is refused with a sentence that says what to give
// instead, and callers turn the refusal into -32602. What a command names is no fault of the agent's:
// what cannot be known of it is marked as unknown, for policy to ask about.
//
// Findings hold for the moment in which they were made. Resolution is not atomic: whoever can change
// links can change what a path means right after, so a permit names the real path, and is checked
// again when it is consumed (protocol §7).
//
// Case is kept as written: two spellings of one name on a file system that folds case are two paths,
// and Target.Folds says so.
package inspect

import (
	"io/fs"
	"os"
	"path"
)

// FS is a whole file system, rooted at "/": names have no leading slash, as fs.ValidPath wants them,
// and the root is ".". Lstat and ReadLink must not follow the last component. os.DirFS("/") and
// fstest.MapFS are ones.
type FS interface {
	fs.FS
	ReadLink(name string) (string, error)
	Lstat(name string) (fs.FileInfo, error)
}

// Inspector looks at one file system, for one user. It keeps nothing between calls and may be used by
// any number of goroutines at once as far as its file system may.
type Inspector struct {
	fsys FS
	user User
}

// User is whom the agents and the daemon run as.
type User struct {
	UID, GID uint32
	Home     string // absolute; what a leading ~ stands for in a shell; "" where not known
	Path     string // the PATH of an agent that does not name its own
}

// New returns an Inspector of fsys, which the caller must not change while a call runs. Its user is
// root and has neither home nor PATH; see As.
func New(fsys FS) *Inspector { return &Inspector{fsys: fsys} }

// As returns an Inspector of the same file system for another user.
func (i *Inspector) As(user User) *Inspector { return &Inspector{fsys: i.fsys, user: user} }

// Host returns an Inspector of the file system of this process, for its user and environment.
func Host() *Inspector {
	user := User{UID: uint32(os.Getuid()), GID: uint32(os.Getgid()), Path: os.Getenv("PATH")} //nolint:gosec // neither is negative on the systems that there are sockets for
	if home := os.Getenv("HOME"); path.IsAbs(home) {
		user.Home = home
	}
	return New(newHostFS()).As(user)
}
