package main

import (
	"fmt"
	"os"
	"syscall"
)

// makePrivate creates a directory, mode 0700, or checks the one that is there.
func makePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("create the directory %s: %w", dir, err)
	}
	return checkPrivate(dir)
}

// checkPrivate reports whether nobody but this user can change what is in a
// directory: who can may put a socket there and answer for the daemon. It is
// not to be a link, since who owns the link could turn it elsewhere.
func checkPrivate(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at the directory %s: %w", dir, err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory: remove it, or give another --runtime-dir", dir)
	case !ok || int(owner.Uid) != os.Getuid():
		return fmt.Errorf("the directory %s belongs to another user: give another --runtime-dir", dir)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("others may write to the directory %s: chmod it to 700, or give another --runtime-dir", dir)
	}
	return nil
}
