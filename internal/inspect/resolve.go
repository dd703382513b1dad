package inspect

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"
)

// Limits of a path, those of Linux (PATH_MAX without its NUL, and path_resolution(7)). What the
// kernel would not follow need not be followed here.
const (
	maxPath  = 4095
	maxLinks = 40
)

// place is where a path leads.
type place struct {
	path      string      // absolute and clean, without a link in it
	info      fs.FileInfo // nil where nothing is
	above     string      // where nothing is, the nearest directory above that is there
	processes bool        // a component of a process's own tree below /proc was passed
	hidden    bool        // it lies in such a tree and cannot be looked at from here
	links     []string    // the real paths of the links that were followed, in order
}

// locate resolves requested, taken from base where it is relative.
func (i *Inspector) locate(requested, base string) (place, error) {
	if requested == "" {
		return place{}, errors.New("the path is empty; name a file or directory")
	}
	full := requested
	if !path.IsAbs(requested) {
		switch {
		case base == "":
			return place{}, fmt.Errorf("%q is relative and there is no working directory to take it from; give an absolute path or a cwd", requested)
		case !path.IsAbs(base):
			return place{}, fmt.Errorf("%q is taken from %q, which is not absolute; give an absolute cwd", requested, base)
		}
		// Joined as text and not cleaned: what ".." means depends on the links before it.
		full = base + "/" + requested
	}
	switch {
	case len(full) > maxPath:
		return place{}, fmt.Errorf("the path has %d bytes; the longest that a system call takes has %d", len(full), maxPath)
	case strings.Contains(full, "\x00"):
		return place{}, fmt.Errorf("%q contains a NUL, which no file name can; leave it out", full)
	case !utf8.ValidString(full):
		return place{}, fmt.Errorf("%q is not valid UTF-8; only such paths can be recorded", full)
	}
	at, err := i.walk(full)
	if err != nil {
		return place{}, fmt.Errorf("%q cannot be resolved: %w", full, err)
	}
	return at, nil
}

// walk follows an absolute path component by component, as the kernel does, with one difference:
// below a directory that does not exist it goes on by name. What does not exist is no link, so ".."
// can only lead back, and tools that clean paths before they open them would arrive there too. In a
// process's tree it ends by name where it may not look: that the way leads there is all that counts.
func (i *Inspector) walk(full string) (place, error) {
	root, err := i.look(place{path: "/", above: "/"})
	if err != nil {
		return place{}, err
	}
	at := root
	var links []string
	for rest := full; rest != ""; {
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		if name == "" {
			continue
		}
		if at.info != nil && !at.info.IsDir() {
			return place{}, fmt.Errorf("%q is not a directory", at.path)
		}
		next, err := i.step(at, name)
		if err != nil && next.processes {
			return place{path: path.Join(next.path, rest), processes: true, hidden: true}, nil
		}
		if err != nil {
			return place{}, err
		}
		if next.info == nil || next.info.Mode().Type() != fs.ModeSymlink {
			at = next
			continue
		}
		if links = append(links, next.path); len(links) > maxLinks {
			return place{}, fmt.Errorf("it goes through more than %d links, or in circles", maxLinks)
		}
		target, err := i.readLink(next.path)
		if err != nil && next.processes {
			return place{path: path.Join(next.path, rest), processes: true, hidden: true}, nil
		}
		if err != nil {
			return place{}, err
		}
		if path.IsAbs(target) {
			at = root
		}
		at.processes = next.processes
		rest = target + "/" + rest
	}
	at.path, at.links = i.unfirm(at.path), links
	return at, nil
}

// step goes from a directory, existing or not, to the one entry that name means there.
func (i *Inspector) step(at place, name string) (place, error) {
	switch name {
	case ".":
		return at, nil
	case "..":
		return i.look(place{path: path.Dir(at.path), above: at.above, processes: at.processes})
	}
	next := place{path: path.Join(at.path, name), above: at.above, processes: at.processes}
	if at.path == "/proc" && processName(name) || strings.EqualFold(at.path, "/dev/fd") || at.path == "/" && aliasName(name) {
		next.processes = true
	}
	if at.info == nil {
		return next, nil
	}
	next.above = at.path
	return i.look(next)
}

// processName reports whether an entry of /proc stands for a process, this one included. /dev/fd is
// the same by another name, on systems without /proc.
func processName(name string) bool {
	return name == "self" || name == "thread-self" || strings.Trim(name, "0123456789") == ""
}

// aliasName reports whether an entry of the root makes the kernel of macOS find a file by other means
// than its path: by number, or with flags. Nothing can be said of where that leads.
func aliasName(name string) bool {
	return strings.EqualFold(name, ".vol") || strings.EqualFold(name, ".nofollow") || strings.EqualFold(name, ".resolve")
}

// dataVolume is where macOS mounts the volume that holds what is not the system's. Its directories
// are at the root too, not by links but by firmlinks, which are invisible.
const dataVolume = "/System/Volumes/Data/"

// unfirm is the path at the root of what has one there as well, which is the one that people write;
// any other path is returned as it is.
func (i *Inspector) unfirm(file string) string {
	if len(file) <= len(dataVolume) || !strings.EqualFold(file[:len(dataVolume)], dataVolume) {
		return file
	}
	below := file[len(dataVolume):]
	name, _, _ := strings.Cut(below, "/")
	there, err := i.fsys.Lstat(fsName(dataVolume + name))
	if err != nil {
		return file
	}
	here, err := i.fsys.Lstat(fsName("/" + name))
	if err != nil || !same(here, there) {
		return file
	}
	return "/" + below
}

// look fills in what is at p.path, itself and not what it may link to. Beside an error it returns p.
func (i *Inspector) look(p place) (place, error) {
	info, err := i.fsys.Lstat(fsName(p.path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return p, fmt.Errorf("%q cannot be looked at: %w", p.path, err)
	}
	if p.info = nil; err == nil {
		p.info = info
	}
	return p, nil
}

func (i *Inspector) readLink(link string) (string, error) {
	target, err := i.fsys.ReadLink(fsName(link))
	switch {
	case err != nil:
		return "", fmt.Errorf("the link %q cannot be read: %w", link, err)
	case target == "":
		return "", fmt.Errorf("the link %q has no target", link)
	case strings.Contains(target, "\x00") || !utf8.ValidString(target):
		return "", fmt.Errorf("the link %q has a target that is no text: %q", link, target)
	}
	return target, nil
}

// fsName is the name by which an FS knows an absolute clean path.
func fsName(abs string) string {
	if abs == "/" {
		return "."
	}
	return abs[1:]
}
