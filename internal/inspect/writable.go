package inspect

import (
	"fmt"
	"io/fs"
	"path"
	"runtime"
)

// Bits of a mode that let others write.
const (
	groupWrites fs.FileMode = 0o020
	worldWrites fs.FileMode = 0o002
)

// darwinAdmin is the group of a Mac's administrators, who may become root; Homebrew's directories
// belong to it.
const darwinAdmin = 80

// writable says how someone else than root and the user could change or replace a real file, "" where
// nobody can. Its own directory must be closed to others altogether, since who can write there can
// also put another file before it is found; further up the sticky bit is enough, which keeps others
// from renaming what is not theirs. Access control lists are not looked at.
func (i *Inspector) writable(file string) string {
	near := path.Dir(file)
	for at := file; ; at = path.Dir(at) {
		info, err := i.fsys.Lstat(fsName(at))
		if err != nil {
			return fmt.Sprintf("%q cannot be looked at", at)
		}
		stat := statOf(info)
		switch mode := info.Mode(); {
		case stat.UID != 0 && stat.UID != i.user.UID:
			return fmt.Sprintf("%q belongs to another user", at)
		case mode.Type() == fs.ModeSymlink: // its mode means nothing
		case mode&fs.ModeSticky != 0 && at != file && at != near:
		case mode&worldWrites != 0:
			return fmt.Sprintf("everyone can write %q", at)
		case mode&groupWrites != 0 && !i.ownGroup(stat):
			return fmt.Sprintf("a group of users can write %q", at)
		}
		if at == "/" {
			return ""
		}
	}
}

// ownGroup reports whether a group holds nobody but root and the user: root's own, and the private
// group that a user has by convention, which bears the user's number.
func (i *Inspector) ownGroup(stat Stat) bool {
	return stat.GID == 0 || stat.GID == i.user.GID && i.user.GID == i.user.UID ||
		runtime.GOOS == "darwin" && stat.GID == darwinAdmin
}
