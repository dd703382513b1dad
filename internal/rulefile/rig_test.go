package rulefile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/approvald/approvald/internal/rulefile"
)

// room is a directory of a test's own with the places of a policy in it. None
// of them exists yet.
type room struct {
	t   *testing.T
	dir string
	rulefile.Files
}

func newRoom(t *testing.T) *room {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return &room{t: t, dir: dir, Files: rulefile.Files{
		Managed: filepath.Join(dir, "etc", "policy.toml"),
		User:    filepath.Join(dir, "home", "config", "policy.toml"),
		Stores:  filepath.Join(dir, "state", "stores"),
	}}
}

// options are those of a room: whoever runs the tests is its administrator.
func (r *room) options() rulefile.Options {
	return rulefile.Options{ManagedOwner: os.Getuid(), Home: "/home/ada"}
}

// write puts a file in place, as editors do that write in place.
func (r *room) write(path, text string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// swap puts a file in place by renaming another to it.
func (r *room) swap(path, text string) {
	r.t.Helper()
	r.write(path+".new", text)
	if err := os.Rename(path+".new", path); err != nil {
		r.t.Fatal(err)
	}
}

// load is Load, which must succeed.
func (r *room) load() *rulefile.Loaded {
	r.t.Helper()
	loaded, err := rulefile.Load(r.Files, r.options())
	if err != nil {
		r.t.Fatal(err)
	}
	return loaded
}
