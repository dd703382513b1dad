package inspect

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
)

// digest is that of "content".
const digest = "sha256:ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73"

func imageTree() fstest.MapFS {
	return fstest.MapFS{
		"srv":          {Mode: fs.ModeDir, Sys: Stat{Device: 1, Inode: 2}},
		"srv/file":     {Data: []byte("content"), ModTime: time.Unix(5, 6), Sys: Stat{Device: 1, Inode: 3, Links: 1}},
		"srv/empty":    {},
		"srv/link":     link("file"),
		"srv/up":       link("/srv"),
		"srv/pipe":     {Mode: fs.ModeNamedPipe},
		"proc/42/file": {},
	}
}

func TestImage(t *testing.T) {
	parent := approval.FileIdentity{Device: 1, Inode: 2}
	tests := map[string]approval.Image{
		"/srv/file":    {Digest: digest, File: approval.FileIdentity{Device: 1, Inode: 3, Size: 7, Modified: 5e9 + 6}, Parent: parent},
		"/srv/empty":   {Digest: "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", Parent: parent},
		"/srv/new":     {Parent: parent},
		"/srv/new/new": {Parent: parent},
	}
	for path, want := range tests {
		got, err := New(imageTree()).Image(path)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Image(%q): %v, (-want +got)\n%s", path, err, diff)
		}
		if got.Absent() != strings.HasPrefix(path, "/srv/new") {
			t.Errorf("Image(%q) is absent: %v", path, got.Absent())
		}
	}
}

func TestImageRefuses(t *testing.T) {
	files := imageTree()
	files["srv/huge"] = &fstest.MapFile{Data: make([]byte, MaxImage+1)}
	tests := map[string]struct {
		want  string
		moved bool
	}{
		"/srv/link":     {"through a link", true},
		"/srv/up/file":  {"through a link", true},
		"/srv/./file":   {"through a link", true},
		"/srv/pipe":     {"no regular file", false},
		"/srv":          {"no regular file", false},
		"/srv/file/x":   {"not a directory", false},
		"/srv/huge":     {"67108865 bytes", false},
		"/proc/42/file": {"a process's", false},
		"srv/file":      {"relative", false},
	}
	for path, tt := range tests {
		got, err := New(files).Image(path)
		if err == nil || !strings.Contains(err.Error(), tt.want) || errors.Is(err, ErrMoved) != tt.moved {
			t.Errorf("Image(%q) = %+v, %v, want an error with %q", path, got, err, tt.want)
		}
		if (got != approval.Image{}) {
			t.Errorf("Image(%q) is refused and %+v, want nothing", path, got)
		}
	}
}

// movingFS has another file at a name by the time it is opened.
type movingFS struct {
	fstest.MapFS
	then *fstest.MapFile
}

func (f movingFS) Open(name string) (fs.File, error) {
	f.MapFS[name] = f.then
	return f.MapFS.Open(name)
}

func TestImageIsOfOneFile(t *testing.T) {
	for name, then := range map[string]*fstest.MapFile{
		"another file":   {Data: []byte("content"), ModTime: time.Unix(5, 6), Sys: Stat{Device: 1, Inode: 4, Links: 1}},
		"another length": {Data: []byte("contents"), ModTime: time.Unix(5, 6), Sys: Stat{Device: 1, Inode: 3, Links: 1}},
		"another time":   {Data: []byte("content"), ModTime: time.Unix(5, 7), Sys: Stat{Device: 1, Inode: 3, Links: 1}},
	} {
		got, err := New(movingFS{imageTree(), then}).Image("/srv/file")
		if err == nil || !strings.Contains(err.Error(), "changed while it was read") {
			t.Errorf("%s: Image = %+v, %v, want an error", name, got, err)
		}
	}
}

// On the real file system an image is equal while nothing happens, and differs
// after every way of changing the file.
func TestImageTellsEveryChangeApart(t *testing.T) {
	changes := map[string]func(file string) error{
		"content": func(file string) error { return os.WriteFile(file, []byte("another"), 0o600) },
		"replaced by the same": func(file string) error {
			if err := os.WriteFile(file+".new", []byte("content"), 0o600); err != nil {
				return err
			}
			return os.Rename(file+".new", file)
		},
		"removed": os.Remove,
		"its directory replaced": func(file string) error {
			dir := filepath.Dir(file)
			if err := os.Rename(dir, dir+".old"); err != nil {
				return err
			}
			if err := os.Mkdir(dir, 0o700); err != nil {
				return err
			}
			return os.Link(filepath.Join(dir+".old", filepath.Base(file)), file)
		},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			root, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(root, "dir", "file")
			if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte("content"), 0o600); err != nil {
				t.Fatal(err)
			}
			before, err := Host().Image(file)
			if err != nil || before.Digest != digest || before.File.Inode == 0 || before.Parent.Inode == 0 {
				t.Fatalf("Image = %+v, %v", before, err)
			}
			if again, err := Host().Image(file); err != nil || again != before {
				t.Errorf("Image = %+v, %v, then %+v", before, err, again)
			}
			if err := change(file); err != nil {
				t.Fatal(err)
			}
			if after, err := Host().Image(file); err != nil || after == before {
				t.Errorf("Image = %+v, %v, as before the change", after, err)
			}
		})
	}
}

func TestImageOfTheRealFileSystemWaitsForNobody(t *testing.T) {
	// The FIFO takes the file's place between the look and the opening.
	look := newHostFS()
	fifo := filepath.Join(t.TempDir(), "fifo")
	makeFIFO(t, fifo)
	file, err := look.Open(fsName(fifo))
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(fifo, fifo+".link"); err != nil {
		t.Fatal(err)
	}
	if file, err := look.Open(fsName(fifo + ".link")); err == nil {
		t.Errorf("a link was opened: %v", file.Close())
	}
}
