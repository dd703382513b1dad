package inspect

import (
	"io/fs"
	"math"
	"path"
	"strings"

	"github.com/approvald/approvald/internal/approval"
)

// File is what a path turned out to be.
type File struct {
	// Path is real: absolute and clean, every component's links resolved, the last one's too. For
	// what does not exist yet it is the real path of the nearest existing parent and the remaining
	// names.
	Path string

	// Requested is the path as it was given, Written the same made absolute and clean, with its links
	// as they are.
	Requested, Written string

	// Exists says that something is at Path, and Type says what.
	Exists bool
	Type   approval.TargetType

	// Links counts the names of a file; it is 0 for a directory and for what does not exist.
	Links int

	// Folds says that a name there is the same in upper and lower case.
	Folds bool

	// OfProcess says that the way to Path led through a process's own entry of /proc (a number, self,
	// thread-self) or through /dev/fd, where the answer depends on who asks: /proc/self is this
	// process here and the agent there; or through what macOS has to find files by their number
	// (/.vol and its like). Path must then not be taken for what the agent will reach
	// (policy.md "File": everything below /proc/<pid> is a hard denial), and what lies there may be
	// hidden from here, so that Type is special whatever it is.
	OfProcess bool
}

// File resolves requested, taken from the absolute directory cwd where it is relative; cwd may be
// empty where it is not. It fails for a path that could not be opened or created by any name: through
// a file as if it were a directory, through links in circles, into what cannot be looked at.
func (i *Inspector) File(requested, cwd string) (File, error) {
	at, err := i.locate(requested, cwd)
	if err != nil {
		return File{}, err
	}
	written := requested
	if !path.IsAbs(requested) {
		written = cwd + "/" + requested
	}
	f := File{Path: at.path, Requested: requested, Written: path.Clean(written), OfProcess: at.processes}
	f.Exists = at.info != nil || at.hidden
	f.Type = targetType(at)
	if at.info != nil && !at.info.IsDir() {
		f.Links = int(min(statOf(at.info).Links, math.MaxInt32))
	}
	f.Folds = !at.hidden && i.folds(at)
	return f, nil
}

func targetType(at place) approval.TargetType {
	switch {
	case at.hidden, at.info == nil && isDevice(at.path):
		return approval.TargetSpecial
	case at.info == nil:
		return approval.TargetAbsent
	case at.info.IsDir():
		return approval.TargetDirectory
	case at.info.Mode().Type() == fs.FileMode(0):
		return approval.TargetRegular
	}
	return approval.TargetSpecial
}

// isDevice reports whether a path is one for devices by its place alone: what is not there now may be
// one when it is opened. Shared memory has its files there, too.
func isDevice(p string) bool {
	return strings.HasPrefix(p, "/dev/") && !strings.HasPrefix(p, "/dev/shm/")
}

// Target is the file as the target of an access.
func (f File) Target(access approval.Access) approval.Target {
	return approval.Target{
		Access: access, Text: f.Requested, Written: f.Written, Path: f.Path,
		Type: f.Type, Links: f.Links, Folds: f.Folds, OfProcess: f.OfProcess,
	}
}
