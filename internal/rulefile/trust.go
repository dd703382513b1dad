package rulefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// trust says whom a file must belong to so that nobody else has written it
// (policy.md "Files").
type trust struct {
	owners []int  // user ids
	who    string // the owners, for messages
}

// judge says why a file or directory is not trusted; "" where it is. A group
// counts as others, but for root's own and the private one that a user has by
// convention, which bears the user's number: with it, many systems make every
// new directory writable for the group.
func (t trust) judge(owner, group int, mode fs.FileMode, path string) string {
	if !slices.Contains(t.owners, owner) {
		return fmt.Sprintf("%s belongs to user %d and must belong to %s, since its owner decides what it says; change it with chown", path, owner, t.who)
	}
	others := fs.FileMode(0o022)
	if group == 0 || group == owner {
		others = 0o002
	}
	if mode.Perm()&others != 0 {
		return fmt.Sprintf("%s can be written by others than its owner (mode %04o); change it with: chmod go-w %s", path, mode.Perm(), path)
	}
	return ""
}

// maxLinks bounds the links that a policy file may lead through.
const maxLinks = 40

// way checks the directory of the file, and, where it is a link, that of every
// file that it leads to: who can write one of them can put another file there.
func (t trust) way(path string) *Fault {
	for range maxLinks {
		if fault := t.directory(filepath.Dir(path)); fault != nil {
			return fault
		}
		to, err := os.Readlink(path)
		if err != nil {
			return nil //nolint:nilerr // no link; what it is, opening it says
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return &Fault{File: path, Why: "it leads through more links than can be followed; give the file itself"}
}

// directory checks the directory that a policy file lies in, or would: who can
// write it can put another file there, or take a deny rule away. One that does
// not exist is nobody's.
func (t trust) directory(dir string) *Fault {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unreadable(dir, err)
	}
	if !info.IsDir() {
		return nil // opening a file in it says so
	}
	owner, group := ownersOf(info)
	if why := t.judge(owner, group, info.Mode(), dir); why != "" {
		return &Fault{File: dir, Why: why}
	}
	return t.above(dir)
}

// above checks the directories that lead to dir by its real path: one that
// anybody can write, and take names away in, lets anybody put another dir in
// its place.
func (t trust) above(dir string) *Fault {
	at, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return unreadable(dir, err)
	}
	for up := filepath.Dir(at); ; up = filepath.Dir(up) {
		info, err := os.Stat(up)
		if err != nil {
			return unreadable(up, err)
		}
		if info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0 {
			return &Fault{File: dir, Why: fmt.Sprintf("it lies below %s, where anybody can put another directory in its place (mode %04o); change that with: chmod o-w %s", up, info.Mode().Perm(), up)}
		}
		if up == filepath.Dir(up) {
			return nil
		}
	}
}
