package inspect

import (
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// foldFS takes names below mac/ in upper and lower case for the same.
type foldFS struct{ fstest.MapFS }

func folded(name string) string {
	if below, found := strings.CutPrefix(name, "mac/"); found {
		return "mac/" + strings.ToLower(below)
	}
	return name
}

func (f foldFS) Lstat(name string) (fs.FileInfo, error) { return f.MapFS.Lstat(folded(name)) }
func (f foldFS) ReadLink(name string) (string, error)   { return f.MapFS.ReadLink(folded(name)) }
func (f foldFS) Open(name string) (fs.File, error)      { return f.MapFS.Open(folded(name)) }
func inode(n uint64, links uint64) *fstest.MapFile {
	return &fstest.MapFile{Sys: Stat{Inode: n, Links: links}}
}
func dirInode(n uint64) *fstest.MapFile {
	return &fstest.MapFile{Mode: fs.ModeDir, Sys: Stat{Inode: n, Links: 2}}
}

func TestFolds(t *testing.T) {
	fsys := foldFS{fstest.MapFS{
		".":               dirInode(1),
		"mac":             dirInode(2),
		"mac/src":         dirInode(3),
		"mac/src/main.go": inode(4, 1),
		"mac/src/two":     inode(5, 2),
		"mac/1":           dirInode(6),
		"mac/1/2":         inode(7, 1),
		"mac/link":        {Mode: fs.ModeSymlink, Data: []byte("src"), Sys: Stat{Inode: 8, Links: 1}},

		"lin":        dirInode(12),
		"lin/src":    dirInode(13),
		"lin/src/a":  inode(14, 2),
		"lin/src/A":  inode(14, 2),
		"lin/src/b":  inode(15, 1),
		"lin/src/B":  inode(16, 1),
		"lin/twin":   dirInode(17),
		"lin/twin/x": inode(18, 2),
		"lin/twin/X": inode(18, 2),
		"lin/3/4":    inode(19, 1),
		"lin/dev/x":  {Sys: Stat{Device: 1, Inode: 20, Links: 1}},
		"lin/dev/X":  {Sys: Stat{Device: 2, Inode: 20, Links: 1}},
		"told":       {Mode: fs.ModeDir, Sys: Stat{Inode: 30, Folds: true}},
		"told/a":     inode(31, 1),
		"told/b/c":   inode(32, 1),
		"lin/untold": {},
		"lin/UNTOLD": {},
	}}
	tests := map[string]bool{
		"/mac/src/main.go":   true,
		"/mac/SRC/Main.go":   true,
		"/mac/src/new.go":    true,
		"/mac/src/new/er.go": true,
		"/mac/src/two":       true, // a second name could be TWO; the file beside it tells
		"/mac/link/main.go":  true,
		"/mac/1/2":           true, // only the directories' names have letters
		"/mac/src":           true,
		"/mac":               false, // its name is in a directory that does not fold
		"/lin/src/a":         false, // two names of one file
		"/lin/twin/x":        false,
		"/lin/src/b":         false,
		"/lin/src/new":       false,
		"/lin/3/4":           false,
		"/lin/dev/x":         false, // one number on two devices
		"/told/a":            true,
		"/told/new":          true,
		"/told":              false,
		"/told/b/c":          false, // it is for each directory to tell
		"/lin/untold":        false,
		"/new":               false,
		"/":                  false,
	}
	for path, want := range tests {
		got, err := New(fsys).File(path, "")
		if err != nil || got.Folds != want {
			t.Errorf("File(%q) folds: %v, %v, want %v", path, got.Folds, err, want)
		}
	}
}

func TestFoldsOnTheRealFileSystem(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/lower", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := os.Lstat(dir + "/LOWER")
	want := err == nil
	for _, name := range []string{"lower", "new"} {
		got, err := Host().File(dir+"/"+name, "")
		if err != nil || got.Folds != want {
			t.Errorf("File(%q) folds: %v, %v, want %v", name, got.Folds, err, want)
		}
	}
}
