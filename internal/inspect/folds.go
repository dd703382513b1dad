package inspect

import (
	"errors"
	"io/fs"
	"path"
)

// maxSiblings bounds how many entries of a directory are read to find one whose name has letters.
const maxSiblings = 16

// folds reports whether the file system takes names in upper and lower case for the same at a
// place. The nearest name that can tell decides: its own where it exists, else an entry beside it,
// else the same of the directories above it. Where none can, names are taken to differ; so an empty
// directory that alone was set to fold, on Linux, is found out only once there is something in it.
//
// The answer is about the last component: directories of one path may differ.
func (i *Inspector) folds(at place) bool {
	dir := at.above
	if at.info != nil {
		dir = path.Dir(at.path)
	}
	if info, err := i.fsys.Lstat(fsName(dir)); err == nil && statOf(info).Folds {
		return true
	}
	if at.info != nil {
		if fold, known := i.probe(at.path); known {
			return fold
		}
	}
	for ; ; dir = path.Dir(dir) {
		for _, name := range i.someNames(dir) {
			if fold, known := i.probe(path.Join(dir, name)); known {
				return fold
			}
		}
		if dir == "/" {
			return false
		}
		if fold, known := i.probe(dir); known {
			return fold
		}
	}
}

// probe looks an existing entry up by its name in the other case. It cannot know where the name has
// no letters, and where a file has more names than one, of which the other may be one.
func (i *Inspector) probe(file string) (fold, known bool) {
	dir, name := path.Split(file)
	other := otherCase(name)
	if other == name {
		return false, false
	}
	info, err := i.fsys.Lstat(fsName(file))
	if err != nil || !info.IsDir() && statOf(info).Links > 1 {
		return false, false
	}
	switch twin, err := i.fsys.Lstat(fsName(path.Join(dir, other))); {
	case errors.Is(err, fs.ErrNotExist):
		return false, true
	case err != nil:
		return false, false
	default:
		return same(info, twin), true
	}
}

// otherCase swaps the case of the ASCII letters of a name.
func otherCase(name string) string {
	swapped := []byte(name)
	for n, c := range swapped {
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
			swapped[n] = c ^ ('a' - 'A')
		}
	}
	return string(swapped)
}

// someNames lists a few entries of a directory; none where it cannot be listed.
func (i *Inspector) someNames(dir string) []string {
	file, err := i.fsys.Open(fsName(dir))
	if err != nil {
		return nil
	}
	defer file.Close()
	list, ok := file.(fs.ReadDirFile)
	if !ok {
		return nil
	}
	// What was read before an error tells as much as a whole list.
	entries, _ := list.ReadDir(maxSiblings)
	names := make([]string, 0, len(entries))
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}
