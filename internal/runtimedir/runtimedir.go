// Package runtimedir says where the sockets of a daemon are, for every program of approvald,
// and that nobody but this user can have put another one there.
package runtimedir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Find is the absolute runtime directory: the flag's, else that of APPROVALD_RUNTIME_DIR,
// else the XDG base directory's, else /tmp/approvald-<uid>. It need not exist; if it does, it
// is this user's alone to change, so what answers on a socket in it is too.
//
// XDG has no default for the runtime directory. Root gets no other than anyone else: /run
// may not be writable (a container), and a service that wants to be there says so with
// --runtime-dir. /tmp, not $TMPDIR, because the daemon and its clients must mean the same
// place in whatever environment each was started. What keeps others out of it is
// [CheckPrivate].
func Find(flag string) (string, error) {
	dir := flag
	if dir == "" {
		dir = os.Getenv("APPROVALD_RUNTIME_DIR")
	}
	if dir == "" {
		if root := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(root) {
			dir = filepath.Join(root, "approvald")
		} else {
			dir = fmt.Sprintf("/tmp/approvald-%d", os.Getuid())
		}
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := CheckPrivate(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	return dir, nil
}

// Socket is the path of the socket named agent, reviewer or host. Each has a directory of
// its own, so that a sandbox can expose one.
func Socket(dir, name string) string {
	return filepath.Join(dir, name, name+".sock")
}

// FindSocket is the path of the socket named agent, reviewer or host in the runtime directory that
// [Find] finds. It need not exist; if its directory does, nobody else may put another socket there.
// Whose that is does not matter: a sandbox has it from outside, where users have other numbers.
func FindSocket(flag, name string) (string, error) {
	dir, err := Find(flag)
	if err != nil {
		return "", err
	}
	socket := Socket(dir, name)
	door := filepath.Dir(socket)
	info, err := os.Lstat(door)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return socket, nil
	case err != nil:
		return "", fmt.Errorf("look at the directory %s: %w", door, err)
	}
	return socket, closed(door, info)
}

// closed reports whether a directory is one, and only its owner may write to it.
func closed(dir string, info os.FileInfo) error {
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory: remove it, or give another --runtime-dir", dir)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("others may write to the directory %s: chmod it to 700, or give another --runtime-dir", dir)
	}
	return nil
}

// CheckPrivate reports whether nobody but this user can change what is in a directory: who
// can may put a socket there and answer for the daemon. It is not to be a link, since who
// owns the link could turn it elsewhere.
func CheckPrivate(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at the directory %s: %w", dir, err)
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) != os.Getuid() {
		return fmt.Errorf("the directory %s belongs to another user: give another --runtime-dir", dir)
	}
	return closed(dir, info)
}
