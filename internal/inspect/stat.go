package inspect

import (
	"io/fs"
	"syscall"
)

// Stat is what a file system knows of an entry beyond fs.FileInfo. An FS tells it by returning one
// from FileInfo.Sys; the *syscall.Stat_t of package os is understood too. Of an FS that tells nothing
// every entry is taken for a file of root's with one name, which no other name reaches.
type Stat struct {
	// Device and Inode are together the identity of a file: two names with the same are one file. A
	// zero Inode says that it is not known.
	Device, Inode uint64
	Links         uint64 // names of the file; of a directory it says nothing of use
	UID, GID      uint32 // its owner and group
	// Folds says of a directory that names in it are the same in upper and lower case; where it is
	// false, that is found out by looking for a name in both.
	Folds bool
}

// statOf is what is known of an entry.
func statOf(info fs.FileInfo) Stat {
	switch sys := info.Sys().(type) {
	case Stat:
		return sys
	case *syscall.Stat_t:
		return Stat{
			Device: uint64(sys.Dev), //nolint:unconvert // an int32 on macOS; it is compared and never counted with
			Inode:  sys.Ino,
			Links:  uint64(sys.Nlink), //nolint:unconvert // narrower on other systems
			UID:    sys.Uid,
			GID:    sys.Gid,
		}
	}
	return Stat{Links: 1}
}

// same reports whether two entries are one file.
func same(a, b fs.FileInfo) bool {
	one, other := statOf(a), statOf(b)
	return one.Inode != 0 && one.Inode == other.Inode && one.Device == other.Device
}
