package inspect

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/approvald/approvald/internal/approval"
)

// MaxImage is the largest file, in bytes, of which an image is taken: a write to a larger one can be
// approved, but not as the exact replacement of what was there (policy.md "File", operation).
const MaxImage = 64 << 20

// ErrMoved is wrapped by Image's error for a path that leads elsewhere than to itself.
var ErrMoved = errors.New("the path leads through a link now")

// Image looks at the file at a real path, as File returned it: its content and identity, and those of
// the nearest directory above it. That nothing is there is an image too. It fails where the path is
// not real any more (ErrMoved), where there is something else than a regular file of at most MaxImage
// bytes, and where the file changes while it is read.
func (i *Inspector) Image(file string) (approval.Image, error) {
	at, err := i.locate(file, "")
	switch {
	case err != nil:
		return approval.Image{}, err
	case at.path != file:
		return approval.Image{}, fmt.Errorf("%q is %q by now: %w", file, at.path, ErrMoved)
	case at.processes:
		return approval.Image{}, fmt.Errorf("%q is a process's, and not the same for the agent", file)
	}
	parent, err := i.parent(file)
	if err != nil {
		return approval.Image{}, err
	}
	if at.info == nil {
		return approval.Image{Parent: parent}, nil
	}
	digest, identity, err := i.read(at)
	if err != nil {
		return approval.Image{}, err
	}
	return approval.Image{Digest: digest, File: identity, Parent: parent}, nil
}

// read digests a regular file.
func (i *Inspector) read(at place) (digest string, identity approval.FileIdentity, err error) {
	switch {
	case !at.info.Mode().IsRegular():
		return "", identity, fmt.Errorf("%q is no regular file", at.path)
	case at.info.Size() > MaxImage:
		return "", identity, fmt.Errorf("%q has %d bytes; files up to %d are compared", at.path, at.info.Size(), MaxImage)
	}
	file, err := i.fsys.Open(fsName(at.path))
	if err != nil {
		return "", identity, fmt.Errorf("%q cannot be opened: %w", at.path, err)
	}
	defer file.Close()
	identity = identityOf(at.info)
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(file, at.info.Size())); err != nil {
		return "", identity, fmt.Errorf("%q cannot be read: %w", at.path, err)
	}
	// What was opened and what it is now must both be what was looked at.
	now, err := file.Stat()
	if err != nil || !now.Mode().IsRegular() || identityOf(now) != identity {
		return "", identity, fmt.Errorf("%q changed while it was read; try again", at.path)
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil)), identity, nil
}

// parent is the identity of the nearest directory above a real path that exists.
func (i *Inspector) parent(file string) (approval.FileIdentity, error) {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		info, err := i.fsys.Lstat(fsName(dir))
		switch {
		case errors.Is(err, fs.ErrNotExist) && dir != "/":
		case err != nil:
			return approval.FileIdentity{}, fmt.Errorf("%q cannot be looked at: %w", dir, err)
		case !info.IsDir():
			return approval.FileIdentity{}, fmt.Errorf("%q is not a directory any more: %w", dir, ErrMoved)
		default:
			stat := statOf(info)
			return approval.FileIdentity{Device: stat.Device, Inode: stat.Inode}, nil
		}
	}
}

func identityOf(info fs.FileInfo) approval.FileIdentity {
	stat := statOf(info)
	identity := approval.FileIdentity{Device: stat.Device, Inode: stat.Inode, Size: info.Size()}
	if at := info.ModTime(); !at.IsZero() {
		identity.Modified = at.UnixNano()
	}
	return identity
}
