package scenario

import (
	"errors"
	"io"
	"io/fs"
	"testing"

	"github.com/approvald/approvald/internal/inspect"
)

var _ inspect.FS = (*tree)(nil)

func newTestTree() *tree {
	return newTree(map[string]*entry{
		"/a/b/file": {text: "content"},
		"/a/link":   {mode: fs.ModeSymlink, text: "b/file"},
		"/a/pipe":   {mode: fs.ModeNamedPipe},
		"/a/empty":  {mode: fs.ModeDir},
	})
}

func TestTheTreeIsWhatItsEntriesSay(t *testing.T) {
	tests := map[string]struct {
		mode fs.FileMode // its type
		err  error
	}{
		".":            {mode: fs.ModeDir},
		"a":            {mode: fs.ModeDir},
		"a/b":          {mode: fs.ModeDir},
		"a/b/file":     {},
		"a/link":       {mode: fs.ModeSymlink},
		"a/pipe":       {mode: fs.ModeNamedPipe},
		"a/empty":      {mode: fs.ModeDir},
		"a/b/fil":      {err: fs.ErrNotExist},
		"a/b/file/x":   {err: fs.ErrNotExist},
		"a/link/x":     {err: fs.ErrNotExist}, // whoever looks follows links itself
		"/a":           {err: fs.ErrInvalid},
		"a/../a/empty": {err: fs.ErrInvalid},
	}
	tree := newTestTree()
	for name, test := range tests {
		info, err := tree.Lstat(name)
		switch {
		case !errors.Is(err, test.err):
			t.Errorf("Lstat(%q) = %v, want %v", name, err, test.err)
		case err == nil && (info.Mode().Type() != test.mode || info.IsDir() != test.mode.IsDir()):
			t.Errorf("Lstat(%q) is %v, want %v", name, info.Mode(), test.mode)
		}
	}
}

func TestTheTreeIsReadAsAFileSystemIs(t *testing.T) {
	tree := newTestTree()
	if text, err := fs.ReadFile(tree, "a/b/file"); err != nil || string(text) != "content" {
		t.Errorf("the file holds %q, %v", text, err)
	}
	if target, err := tree.ReadLink("a/link"); err != nil || target != "b/file" {
		t.Errorf("the link leads to %q, %v", target, err)
	}
	for _, name := range []string{"a", "a/link", "a/pipe"} {
		if f, err := tree.Open(name); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("Open(%q) = %v, %v", name, f, err)
		}
	}
	if _, err := tree.ReadLink("a/b/file"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("ReadLink of a file = %v", err)
	}
	if _, err := tree.ReadLink("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("ReadLink of nothing = %v", err)
	}
}

func TestWhatIsRemovedFromTheTreeIsGoneWithAllBelow(t *testing.T) {
	tree := newTestTree()
	tree.change(map[string]*entry{"/a/b": nil, "/a/pipe": {text: "a file now"}})
	if _, err := tree.Lstat("a/b/file"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Lstat = %v", err)
	}
	f, err := tree.Open("a/pipe")
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil || info.Name() != "pipe" || info.Size() != 10 {
		t.Errorf("Stat = %v, %v", info, err)
	}
	if text, err := io.ReadAll(f); err != nil || string(text) != "a file now" {
		t.Errorf("the file holds %q, %v", text, err)
	}
	tree.change(map[string]*entry{"/a": nil, "/a/again": {text: ""}})
	if _, err := tree.Lstat("a/again"); err != nil {
		t.Errorf("what is put where something was removed is not there: %v", err)
	}
}
