package rulefile_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/approvald/approvald/internal/rulefile"
)

func TestAFileIsTrustedWhereNobodyElseCanWriteIt(t *testing.T) {
	const ada, bob = 1000, 1001
	users, managed := []int{0, ada}, []int{0}
	for _, c := range []struct {
		owners       []int
		owner, group int
		mode         fs.FileMode
		want         string // in the sentence; "" for trusted
	}{
		{users, ada, ada, 0o600, ""},
		{users, ada, bob, 0o644, ""},
		{users, 0, 0, 0o644, ""},
		{users, ada, ada, 0o664, ""}, // her private group
		{users, ada, 0, 0o664, ""},
		{users, ada, bob, 0o664, "chmod go-w"},
		{users, ada, ada, 0o646, "chmod go-w"},
		{users, ada, 0, 0o602, "chmod go-w"},
		{users, 0, ada, 0o664, "chmod go-w"},
		{users, bob, bob, 0o600, "belongs to user 1001"},
		{users, -1, -2, 0o600, "belongs to user -1"},
		{managed, 0, 0, 0o644, ""},
		{managed, 0, 0, 0o664, ""},
		{managed, 0, ada, 0o664, "chmod go-w"},
		{managed, ada, ada, 0o644, "belongs to user 1000"},
		{managed, 0, 0, fs.ModeSticky | 0o777, "chmod go-w"},
	} {
		t.Run(fmt.Sprintf("for %v, of %d:%d, %04o", c.owners, c.owner, c.group, c.mode.Perm()), func(t *testing.T) {
			got := rulefile.Judge(c.owners, c.owner, c.group, c.mode)
			if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("says %q, want %q in it", got, c.want)
			}
		})
	}
}

func TestWhatOthersCanChangeIsNotLoaded(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(r *room)
		says  string
	}{
		"the user's file": {func(r *room) { must(r.t, os.Chmod(r.User, 0o602)) }, "policy.toml: "},
		"its directory":   {func(r *room) { must(r.t, os.Chmod(filepath.Dir(r.User), 0o702)) }, "home/config: "},
		"a directory above": {func(r *room) { must(r.t, os.Chmod(filepath.Join(r.dir, "home"), 0o777)) },
			"put another directory in its place"},
		"the directory of a file that it links to": {func(r *room) {
			elsewhere := filepath.Join(r.dir, "elsewhere")
			must(r.t, os.Mkdir(elsewhere, 0o700))
			must(r.t, os.Rename(r.User, filepath.Join(elsewhere, "real.toml")))
			must(r.t, os.Symlink(filepath.Join(elsewhere, "real.toml"), filepath.Join(elsewhere, "hop.toml")))
			must(r.t, os.Symlink(filepath.Join(elsewhere, "hop.toml"), r.User))
			must(r.t, os.Chmod(elsewhere, 0o777))
		}, "elsewhere: "},
		"a link to itself":  {func(r *room) { must(r.t, os.Remove(r.User)); must(r.t, os.Symlink(r.User, r.User)) }, "more links than can be followed"},
		"the managed file":  {func(r *room) { r.write(r.Managed, ""); must(r.t, os.Chmod(r.Managed, 0o606)) }, "etc/policy.toml: "},
		"a directory to be": {func(r *room) { must(r.t, os.Remove(r.User)); must(r.t, os.Chmod(filepath.Dir(r.User), 0o777)) }, "home/config: "},
		"what a link leads to": {func(r *room) {
			linked := filepath.Join(r.dir, "real.toml")
			r.write(linked, ask)
			must(r.t, os.Chmod(linked, 0o606))
			must(r.t, os.Remove(r.User))
			must(r.t, os.Symlink(linked, r.User))
		}, "policy.toml: "},
		"a directory in its place": {func(r *room) {
			must(r.t, os.Remove(r.User))
			must(r.t, os.Mkdir(r.User, 0o700))
		}, "not a regular file"},
		"a FIFO in its place": {func(r *room) {
			must(r.t, os.Remove(r.User))
			must(r.t, syscall.Mkfifo(r.User, 0o600))
		}, "not a regular file"},
		"a file in the place of its directory": {func(r *room) {
			must(r.t, os.RemoveAll(filepath.Dir(r.User)))
			r.write(filepath.Dir(r.User), "")
		}, "cannot be read"},
		"a store": {func(r *room) {
			r.write(rulefile.NewStore(r.Stores).Path(root), "workspace = \"/srv/app\"\n")
			must(r.t, os.Chmod(rulefile.NewStore(r.Stores).Path(root), 0o606))
		}, ".toml: "},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t)
			r.write(r.User, ask)
			r.load()
			c.spoil(r)
			loaded, err := rulefile.Load(r.Files, r.options())
			if loaded != nil || err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("gave %v, %v; want an error with %q", loaded, err, c.says)
			}
		})
	}
}

func TestAFileThatCannotBeReadIsNotMissing(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root can read everything")
	}
	r := newRoom(t)
	r.write(r.User, ask)
	must(t, os.Chmod(r.User, 0o000))
	if _, err := rulefile.Load(r.Files, r.options()); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("Load says %v", err)
	}
}

func TestTheManagedFileIsTheAdministratorsAlone(t *testing.T) {
	r := newRoom(t)
	r.write(r.Managed, ask)
	opts := r.options()
	opts.ManagedOwner = os.Getuid() + 1
	if _, err := rulefile.Load(r.Files, opts); err == nil || !strings.Contains(err.Error(), "must belong to root") {
		t.Errorf("Load says %v", err)
	}
}
