package inspect

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
)

func TestTarget(t *testing.T) {
	const app = "/srv/app"
	read := func(text, written, path string, kind approval.TargetType) approval.Target {
		links := 0
		if kind == approval.TargetRegular || kind == approval.TargetSpecial {
			links = 1
		}
		return approval.Target{Access: approval.Read, Text: text, Written: written, Path: path, Type: kind, Links: links}
	}
	unknown := func(text, why string) approval.Target {
		return approval.Target{Access: approval.Read, Text: text, Unresolved: why}
	}
	process := func(target approval.Target) approval.Target {
		target.OfProcess = true
		return target
	}
	gone := func(t approval.Target) approval.Target { t.Links = 0; return t }
	dynamic := func(text string) Spelled { return Spelled{Access: approval.Read, Text: text, Dynamic: true} }
	static := func(text string) Spelled { return Spelled{Access: approval.Read, Text: text} }
	tests := []struct {
		name string
		path Spelled
		dir  string
		want approval.Target
	}{
		{"a file", static("notes.md"), app, read("notes.md", "/srv/app/notes.md", "/srv/app/notes.md", approval.TargetRegular)},
		{"an absolute path needs no directory", static("/srv/app/src"), "", read("/srv/app/src", "/srv/app/src", "/srv/app/src", approval.TargetDirectory)},
		{"a new file", static("new/x"), app, read("new/x", "/srv/app/new/x", "/srv/app/new/x", approval.TargetAbsent)},
		{"a link stays as it is written", static("outbox/victim.txt"), app, read("outbox/victim.txt", "/srv/app/outbox/victim.txt", "/outside/victim.txt", approval.TargetRegular)},
		{"a dangling link", static("draft.txt"), app, read("draft.txt", "/srv/app/draft.txt", "/srv/app/other/draft.txt", approval.TargetAbsent)},
		{".. by name and by the kernel", static("up/../victim.txt"), app, read("up/../victim.txt", "/srv/app/victim.txt", "/outside/victim.txt", approval.TargetRegular)},
		{"a directory that is spelt with a link", static("x"), "/srv/app/up", read("x", "/srv/app/up/x", "/outside/deep/x", approval.TargetRegular)},
		{"a device", static("/dev/null"), "", read("/dev/null", "/dev/null", "/dev/null", approval.TargetSpecial)},
		{"a process's file", static("/proc/self/root/outside/victim.txt"), "", process(read("/proc/self/root/outside/victim.txt", "/proc/self/root/outside/victim.txt", "/outside/victim.txt", approval.TargetRegular))},
		{"a descriptor", static("/dev/fd/2"), "", process(gone(read("/dev/fd/2", "/dev/fd/2", "/dev/fd/2", approval.TargetSpecial)))},
		{"a device that is not there", static("/dev/mem"), "", gone(read("/dev/mem", "/dev/mem", "/dev/mem", approval.TargetSpecial))},
		{"a file in shared memory", static("/dev/shm/x"), "", read("/dev/shm/x", "/dev/shm/x", "/dev/shm/x", approval.TargetAbsent)},

		{"a connection of bash's", Spelled{Access: approval.Read, Redirected: true, Text: "/dev/tcp/127.0.0.1/80"}, app, approval.Target{Access: approval.Read, Redirected: true, Text: "/dev/tcp/127.0.0.1/80", Unresolved: connection}},
		{"no program knows it", static("/dev/udp/x/1"), app, gone(read("/dev/udp/x/1", "/dev/udp/x/1", "/dev/udp/x/1", approval.TargetSpecial))},

		{"a parameter", dynamic("$x/notes.md"), app, unknown("$x/notes.md", unknownText)},
		{"a glob that begins like a path", dynamic("/srv/*"), app, unknown("/srv/*", unknownText)},
		{"no directory", static("notes.md"), "", unknown("notes.md", unknownDir)},
		{"nothing", static(""), app, unknown("", "the path is empty; name a file or directory")},
		{"a circle", static("self"), app, unknown("self", `"/srv/app/self" cannot be resolved: it goes through more than 40 links, or in circles`)},
		{"a file as a directory", static("notes.md/x"), app, unknown("notes.md/x", `"/srv/app/notes.md/x" cannot be resolved: "/srv/app/notes.md" is not a directory`)},

		{"a home", dynamic("~"), app, read("~", "/home/ann", "/home/ann", approval.TargetDirectory)},
		{"a file at home", dynamic("~/.ssh/id"), app, read("~/.ssh/id", "/home/ann/.ssh/id", "/home/ann/.ssh/id", approval.TargetAbsent)},
		{"a file at home needs no directory", dynamic("~/x"), "", read("~/x", "/home/ann/x", "/home/ann/x", approval.TargetAbsent)},
		{"a quoted tilde is a name", static("~/x"), app, read("~/x", "/srv/app/~/x", "/srv/app/~/x", approval.TargetAbsent)},
		{"another's home", dynamic("~root/x"), app, unknown("~root/x", unknownText)},
		{"the last directory", dynamic("~-/x"), app, unknown("~-/x", unknownText)},
		{"a glob at home", dynamic("~/*"), app, unknown("~/*", unknownText)},
		{"a parameter at home", dynamic("~/$x"), app, unknown("~/$x", unknownText)},
		{"quotes at home", dynamic(`~/"x"`), app, unknown(`~/"x"`, unknownText)},
	}
	files := tree()
	files["home/ann"] = dir()
	look := New(files).As(User{Home: "/home/ann"})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, look.Target(tt.path, tt.dir)); diff != "" {
				t.Errorf("Target(%+v, %q): (-want +got)\n%s", tt.path, tt.dir, diff)
			}
		})
	}
}

func TestTargetKeepsWhatIsSaidOfThePath(t *testing.T) {
	for _, p := range []Spelled{
		{Access: approval.Write, Redirected: true, Text: "notes.md"},
		{Access: approval.Write, Redirected: true, Text: "$x", Dynamic: true},
	} {
		got := New(tree()).Target(p, "/srv/app")
		if got.Access != p.Access || !got.Redirected || got.Text != p.Text {
			t.Errorf("Target(%+v) = %+v, want its access, redirection and text", p, got)
		}
	}
}

func TestTargetWithoutHomeKnowsNoTilde(t *testing.T) {
	got := New(tree()).Target(Spelled{Text: "~/x", Dynamic: true}, "/srv/app")
	if got.Unresolved != unknownText || got.Path != "" {
		t.Errorf("Target = %+v, want it unresolved", got)
	}
}

func TestTargetCountsNames(t *testing.T) {
	files := tree()
	for _, name := range []string{"srv/app/one", "srv/app/two"} {
		files[name] = regular()
		files[name].Sys = Stat{Inode: 7, Links: 2}
	}
	files["srv/app/many"] = regular()
	files["srv/app/many"].Sys = Stat{Inode: 8, Links: 1 << 63}
	files["srv/app/dir"] = dir()
	files["srv/app/dir"].Sys = Stat{Inode: 9, Links: 3}
	for name, want := range map[string]int{"one": 2, "two": 2, "many": 1<<31 - 1, "notes.md": 1, "new": 0, "dir": 0} {
		if got := New(files).Target(Spelled{Text: name}, "/srv/app"); got.Links != want {
			t.Errorf("%s has %d links, want %d", name, got.Links, want)
		}
	}
}

// hiddenFS does not let anybody look below one process, as the kernel does for
// another user's.
type hiddenFS struct{ fstest.MapFS }

func (f hiddenFS) Lstat(name string) (fs.FileInfo, error) {
	if strings.HasPrefix(name, "proc/4711/") {
		return nil, &fs.PathError{Op: "lstat", Path: name, Err: fs.ErrPermission}
	}
	return f.MapFS.Lstat(name)
}

func (f hiddenFS) ReadLink(name string) (string, error) {
	if strings.HasPrefix(name, "proc/42/") {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrPermission}
	}
	return f.MapFS.ReadLink(name)
}

func TestProcessFilesThatMayNotBeSeenAreSpecialAndNoError(t *testing.T) {
	files := tree()
	files["proc/4711/environ"] = regular()
	for _, path := range []string{"/proc/4711/environ", "/proc/4711/root/etc/../shadow", "/proc/42/root/etc/shadow"} {
		got, err := New(hiddenFS{files}).File(path, "")
		if err != nil || !got.OfProcess || got.Type != approval.TargetSpecial || !got.Exists {
			t.Errorf("File(%q) = %+v, %v, want a special file of a process", path, got, err)
		}
	}
}

func ExampleInspector_Target() {
	look := New(fstest.MapFS{
		"srv/app/out": {Mode: fs.ModeSymlink, Data: []byte("/outside")},
		"outside/x":   {},
	})
	target := look.Target(Spelled{Access: approval.Write, Text: "out/x"}, "/srv/app")
	fmt.Println(target.Written, "is", target.Path)
	// Output: /srv/app/out/x is /outside/x
}
