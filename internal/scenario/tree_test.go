package scenario

import (
	"errors"
	"io"
	"io/fs"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/approvald/approvald/internal/approval"
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

// look inspects a path of a tree that is spelt as in a scenario.
func look(t *testing.T, files, path string) inspect.File {
	t.Helper()
	var entries map[string]*entry
	if err := json.Unmarshal([]byte(files), &entries); err != nil {
		t.Fatal(err)
	}
	if err := checkFiles(entries); err != nil {
		t.Fatal(err)
	}
	found, err := inspect.New(newTree(entries)).File(path, "")
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestInspectionSeesWhatTheTreeSays(t *testing.T) {
	const files = `{
		"/srv/app/f": "text", "/srv/app/g": {"text":"","mode":"0755"}, "/srv/app/d": {"dir":true},
		"/srv/app/l": {"link":"d"}, "/srv/app/twin": {"hardLink":"/srv/app/f"},
		"/srv/app/fifo": {"fifo":true}, "/srv/app/socket": {"socket":true}, "/srv/app/device": {"device":true},
		"/empty": {"dir":true,"folds":true}, "/mac": {"dir":true,"folds":true}, "/mac/Src/Main.go": "x", "/mac/Src/twin.go": {"hardLink":"/mac/Src/Main.go"}
	}`
	tests := map[string]struct {
		real  string
		kind  approval.TargetType
		links int
		folds bool
	}{
		"/srv/app/f":       {"/srv/app/f", approval.TargetRegular, 2, false},
		"/srv/app/twin":    {"/srv/app/twin", approval.TargetRegular, 2, false},
		"/srv/app/g":       {"/srv/app/g", approval.TargetRegular, 1, false},
		"/srv/app/l":       {"/srv/app/d", approval.TargetDirectory, 0, false},
		"/srv/app/new":     {"/srv/app/new", approval.TargetAbsent, 0, false},
		"/srv/app/F":       {"/srv/app/F", approval.TargetAbsent, 0, false},
		"/srv/app/fifo":    {"/srv/app/fifo", approval.TargetSpecial, 1, false},
		"/srv/app/socket":  {"/srv/app/socket", approval.TargetSpecial, 1, false},
		"/srv/app/device":  {"/srv/app/device", approval.TargetSpecial, 1, false},
		"/mac/Src/Main.go": {"/mac/Src/Main.go", approval.TargetRegular, 2, true},
		"/mac/SRC/TWIN.go": {"/mac/SRC/TWIN.go", approval.TargetRegular, 2, true},
		"/empty/new":       {"/empty/new", approval.TargetAbsent, 0, true},
		"/mac/src/new":     {"/mac/src/new", approval.TargetAbsent, 0, true},
		"/mac/src":         {"/mac/src", approval.TargetDirectory, 0, true},
		"/mac":             {"/mac", approval.TargetDirectory, 0, false},
	}
	for path, want := range tests {
		got := look(t, files, path)
		if got.Path != want.real || got.Type != want.kind || got.Links != want.links || got.Folds != want.folds {
			t.Errorf("%s is %+v, want %+v", path, got, want)
		}
	}
}

func TestAnEntryHasItsOwnerAndPermissions(t *testing.T) {
	tests := map[string]struct {
		mode fs.FileMode
		uid  uint32
	}{
		`"text"`:                               {0o644, 0},
		`{"dir":true}`:                         {fs.ModeDir | 0o755, 0},
		`{"text":"","mode":"0755","uid":1000}`: {0o755, 1000},
		`{"dir":true,"mode":"1777","gid":5}`:   {fs.ModeDir | fs.ModeSticky | 0o777, 0},
		`{"device":true,"mode":"666"}`:         {fs.ModeDevice | fs.ModeCharDevice | 0o666, 0},
		`{"link":"x"}`:                         {fs.ModeSymlink | 0o777, 0},
	}
	for text, want := range tests {
		var e *entry
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		info, err := newTree(map[string]*entry{"/x": e}).Lstat("x")
		if err != nil {
			t.Fatal(err)
		}
		if stat, ok := info.Sys().(inspect.Stat); !ok || info.Mode() != want.mode || stat.UID != want.uid || stat.GID != e.gid {
			t.Errorf("%s is %v, %+v, want %v of %d", text, info.Mode(), stat, want.mode, want.uid)
		}
	}
}

func TestAnEntryIsOneThing(t *testing.T) {
	for _, text := range []string{
		`{}`, `{"dir":false}`, `{"dir":true,"text":""}`, `{"link":"a","hardLink":"/b"}`, `{"text":"","folds":true}`,
		`{"hardLink":"/b","mode":"0755"}`, `{"text":"","mode":"8"}`, `{"text":"","mode":"4755"}`, `{"text":"","uid":-1}`, `{"other":true}`, `1`,
	} {
		var e *entry
		if err := json.Unmarshal([]byte(text), &e); err == nil {
			t.Errorf("%s is taken for an entry", text)
		}
	}
}

func TestAHardLinkLeadsToAFileOfItsList(t *testing.T) {
	for name, files := range map[string]map[string]*entry{
		"nothing":      {"/a": {twin: "/b"}},
		"a directory":  {"/a": {twin: "/b"}, "/b": {mode: fs.ModeDir}},
		"a hard link":  {"/a": {twin: "/b"}, "/b": {twin: "/c"}, "/c": {}},
		"itself":       {"/a": {twin: "/a"}},
		"what is gone": {"/a": {twin: "/b"}, "/b": nil},
	} {
		if err := checkFiles(files); err == nil {
			t.Errorf("a hard link to %s is taken", name)
		}
	}
}

func TestAFileThatIsGivenAgainIsAnother(t *testing.T) {
	tree := newTestTree()
	tree.change(map[string]*entry{"/a/twin": {twin: "/a/b/file"}, "/a/b/file": {text: "content"}})
	inode := func(name string) inspect.Stat {
		info, err := tree.Lstat(name)
		if err != nil {
			t.Fatal(err)
		}
		stat, ok := info.Sys().(inspect.Stat)
		if !ok {
			t.Fatalf("Sys of %s is %T", name, info.Sys())
		}
		return stat
	}
	before := inode("a/b/file")
	if before != inode("a/twin") || before.Links != 2 {
		t.Errorf("two names of a file are %+v and %+v", before, inode("a/twin"))
	}
	directory := inode("a/b")
	tree.change(map[string]*entry{"/a/b/file": {text: "content"}})
	if now := inode("a/b/file"); now.Inode == before.Inode || now.Links != 1 || inode("a/twin").Links != 1 {
		t.Errorf("the file was %+v and is %+v, and its twin %+v", before, now, inode("a/twin"))
	}
	if inode("a/b") != directory || directory.Inode == inode("a").Inode {
		t.Errorf("the directory was %+v and is %+v", directory, inode("a/b"))
	}
}
