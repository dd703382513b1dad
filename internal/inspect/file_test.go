package inspect

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func regular() *fstest.MapFile { return &fstest.MapFile{Mode: 0o644} }
func dir() *fstest.MapFile     { return &fstest.MapFile{Mode: fs.ModeDir | 0o755} }
func link(target string) *fstest.MapFile {
	return &fstest.MapFile{Mode: fs.ModeSymlink | 0o777, Data: []byte(target)}
}

func tree() fstest.MapFS {
	fsys := fstest.MapFS{
		"srv/app/notes.md":     regular(),
		"srv/app/src/main.go":  regular(),
		"srv/app/v2":           dir(),
		"srv/app/out.md":       link("/outside/victim.txt"),
		"srv/app/outbox":       link("/outside"),
		"srv/app/current":      link("v2"),
		"srv/app/draft.txt":    link("other/draft.txt"),
		"srv/app/up":           link("../../outside/deep"),
		"srv/app/todir":        link("v2/"),
		"srv/app/dangling":     link("/nowhere/at/all"),
		"srv/app/viamissing":   link("missing/../../../outside/victim.txt"),
		"srv/app/throughfile":  link("notes.md/../src"),
		"srv/app/self":         link("self"),
		"srv/app/ping":         link("pong"),
		"srv/app/pong":         link("ping"),
		"srv/app/empty":        link(""),
		"srv/app/nul":          link("a\x00b"),
		"srv/app/toroot":       link("/"),
		"srv/app/environ":      link("/proc/self/environ"),
		"srv/app/escape":       link("../../../../../../outside"),
		"outside/victim.txt":   regular(),
		"outside/deep/x":       regular(),
		"outside/back":         link("/srv/app/notes.md"),
		"dev/null":             {Mode: fs.ModeDevice | fs.ModeCharDevice | 0o666},
		"run/fifo":             {Mode: fs.ModeNamedPipe | 0o600},
		"proc/self":            link("42"),
		"proc/42/environ":      regular(),
		"proc/42/root":         link("/"),
		"proc/42/cwd":          link("/srv/app"),
		"proc/meminfo":         regular(),
		"srv/app/line\nfeed":   regular(),
		"srv/app/chain000":     link("notes.md"),
		"srv/app/chain/000":    link("../notes.md"),
		"srv/app/chain/hop000": link("."),
	}
	for n := 1; n <= maxLinks; n++ {
		fsys[fmt.Sprintf("srv/app/chain%03d", n)] = link(fmt.Sprintf("chain%03d", n-1))
	}
	return fsys
}

func TestFileResolves(t *testing.T) {
	longest := "/" + strings.Repeat("a/", (maxPath-2)/2) + "b"
	tests := []struct {
		name string
		path string
		cwd  string
		want File
	}{
		{"an absolute path", "/srv/app/notes.md", "", File{Path: "/srv/app/notes.md", Exists: true, Regular: true}},
		{"a relative path", "notes.md", "/srv/app", File{Path: "/srv/app/notes.md", Exists: true, Regular: true}},
		{"an absolute path ignores cwd", "/srv/app/notes.md", "/outside", File{Path: "/srv/app/notes.md", Exists: true, Regular: true}},
		{"a cwd that is a link", "x", "/srv/app/up", File{Path: "/outside/deep/x", Exists: true, Regular: true}},
		{"doubled slashes, dots and a slash at the end", "//srv/./app///notes.md/", "", File{Path: "/srv/app/notes.md", Exists: true, Regular: true}},
		{"parent directories", "/srv/app/src/../notes.md", "", File{Path: "/srv/app/notes.md", Exists: true, Regular: true}},
		{"the parent of the root is the root", "/../../srv/app/notes.md", "", File{Path: "/srv/app/notes.md", Exists: true, Regular: true}},
		{"the root", "/", "", File{Path: "/", Exists: true, Dir: true}},
		{"a directory", "/srv/app/src", "", File{Path: "/srv/app/src", Exists: true, Dir: true}},
		{"a device is neither", "/dev/null", "", File{Path: "/dev/null", Exists: true}},
		{"a FIFO is neither", "/run/fifo", "", File{Path: "/run/fifo", Exists: true}},
		{"a name with a line feed", "/srv/app/line\nfeed", "", File{Path: "/srv/app/line\nfeed", Exists: true, Regular: true}},
		{"a tilde is a name", "~/x", "/srv/app", File{Path: "/srv/app/~/x"}},

		{"a link as the last component", "/srv/app/out.md", "", File{Path: "/outside/victim.txt", Exists: true, Regular: true}},
		{"a link on the way", "/srv/app/outbox/deep/x", "", File{Path: "/outside/deep/x", Exists: true, Regular: true}},
		{"a relative link", "/srv/app/current/log.txt", "", File{Path: "/srv/app/v2/log.txt"}},
		{"a link with a slash at the end", "/srv/app/todir", "", File{Path: "/srv/app/v2", Exists: true, Dir: true}},
		{"links over links", "/srv/app/outbox/back", "", File{Path: "/srv/app/notes.md", Exists: true, Regular: true}},
		{"a link to the root", "/srv/app/toroot/outside/victim.txt", "", File{Path: "/outside/victim.txt", Exists: true, Regular: true}},
		{"a link that climbs past the root", "/srv/app/escape", "", File{Path: "/outside", Exists: true, Dir: true}},
		{".. behind a link leaves its target", "/srv/app/up/../victim.txt", "", File{Path: "/outside/victim.txt", Exists: true, Regular: true}},
		{"as many links as are followed", fmt.Sprintf("/srv/app/chain%03d", maxLinks-1), "", File{Path: "/srv/app/notes.md", Exists: true, Regular: true}},
		{"the same link again is no circle", "/srv/app/chain/hop000/hop000/000", "", File{Path: "/srv/app/notes.md", Exists: true, Regular: true}},

		{"a new file", "/srv/app/new.txt", "", File{Path: "/srv/app/new.txt"}},
		{"a new file in new directories", "/srv/app/a/b/new.txt", "", File{Path: "/srv/app/a/b/new.txt"}},
		{"a new file behind a link", "/srv/app/outbox/new.txt", "", File{Path: "/outside/new.txt"}},
		{"a dangling link is its target", "/srv/app/draft.txt", "", File{Path: "/srv/app/other/draft.txt"}},
		{"a new file behind a dangling link", "/srv/app/dangling/x", "", File{Path: "/nowhere/at/all/x"}},
		{".. out of a new directory", "/srv/app/missing/../../new.txt", "", File{Path: "/srv/new.txt"}},
		{".. out of a new directory into an old one", "/srv/app/missing/../outbox/victim.txt", "", File{Path: "/outside/victim.txt", Exists: true, Regular: true}},
		{"a link out of a new directory", "/srv/app/viamissing", "", File{Path: "/outside/victim.txt", Exists: true, Regular: true}},
		{"a cwd that does not exist", "x", "/gone", File{Path: "/gone/x"}},
		{"the longest path", longest, "", File{Path: longest}},

		{"a process's file", "/proc/42/environ", "", File{Path: "/proc/42/environ", Exists: true, Regular: true, OfProcess: true}},
		{"this process's file", "/proc/self/environ", "", File{Path: "/proc/42/environ", Exists: true, Regular: true, OfProcess: true}},
		{"a link to a process's file", "/srv/app/environ", "", File{Path: "/proc/42/environ", Exists: true, Regular: true, OfProcess: true}},
		{"the file system through a process", "/proc/self/root/outside/victim.txt", "", File{Path: "/outside/victim.txt", Exists: true, Regular: true, OfProcess: true}},
		{"the cwd of a process", "/proc/42/cwd/notes.md", "", File{Path: "/srv/app/notes.md", Exists: true, Regular: true, OfProcess: true}},
		{"another file of /proc", "/proc/meminfo", "", File{Path: "/proc/meminfo", Exists: true, Regular: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Requested = tt.path
			got, err := New(tree()).File(tt.path, tt.cwd)
			if err != nil {
				t.Fatalf("File(%.80q, %q): %v", tt.path, tt.cwd, err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("File(%.80q, %q): (-want +got)\n%s", tt.path, tt.cwd, diff)
			}
		})
	}
}

func TestFileRefuses(t *testing.T) {
	tests := []struct {
		name string
		path string
		cwd  string
		want string // part of the error
	}{
		{"an empty path", "", "/srv/app", "is empty"},
		{"a relative path without cwd", "notes.md", "", "no working directory"},
		{"a relative cwd", "notes.md", "srv/app", "not absolute"},
		{"NUL", "src/\x00../etc/passwd", "/srv/app", "NUL"},
		{"NUL in the cwd", "a", "/srv\x00/app", "NUL"},
		{"invalid UTF-8", "/srv/app/\xff", "", "UTF-8"},
		{"a path that is too long", "/" + strings.Repeat("a", maxPath), "", "4096 bytes"},
		{"a path that the cwd makes too long", strings.Repeat("a", maxPath-1), "/srv", "bytes"},
		{"a file as a directory", "/srv/app/notes.md/x", "", `"/srv/app/notes.md" is not a directory`},
		{".. out of a file", "/srv/app/notes.md/../src", "", `"/srv/app/notes.md" is not a directory`},
		{". in a file", "/srv/app/notes.md/.", "", `"/srv/app/notes.md" is not a directory`},
		{"a device as a directory", "/dev/null/x", "", `"/dev/null" is not a directory`},
		{"a file behind a link as a directory", "/srv/app/out.md/x", "", `"/outside/victim.txt" is not a directory`},
		{"a cwd that is a file", "x", "/srv/app/notes.md", `"/srv/app/notes.md" is not a directory`},
		{"a link through a file", "/srv/app/throughfile", "", `"/srv/app/notes.md" is not a directory`},
		{"a link to itself", "/srv/app/self", "", "in circles"},
		{"two links to each other", "/srv/app/ping/x", "", "in circles"},
		{"more links than are followed", fmt.Sprintf("/srv/app/chain%03d", maxLinks), "", "more than 40 links"},
		{"a link without target", "/srv/app/empty", "", "no target"},
		{"a link with a NUL", "/srv/app/nul", "", "no text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := New(tree()).File(tt.path, tt.cwd)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("File(%.80q, %.80q) = %+v, %v, want an error with %q", tt.path, tt.cwd, got, err, tt.want)
			}
			if (got != File{}) {
				t.Errorf("a refused path came back as %+v, want nothing", got)
			}
		})
	}
}

// deniedFS fails the way a directory without search permission does.
type deniedFS struct{ fstest.MapFS }

func (f deniedFS) Lstat(name string) (fs.FileInfo, error) {
	if strings.HasPrefix(name, "srv/app/") {
		return nil, &fs.PathError{Op: "lstat", Path: name, Err: fs.ErrPermission}
	}
	return f.MapFS.Lstat(name)
}

func TestFileDoesNotTakeWhatItMayNotSeeForMissing(t *testing.T) {
	got, err := New(deniedFS{tree()}).File("/srv/app/notes.md", "")
	if !errors.Is(err, fs.ErrPermission) {
		t.Errorf("File = %+v, %v, want the permission error", got, err)
	}
}
