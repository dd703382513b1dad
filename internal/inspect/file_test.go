package inspect

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
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

		"Users":                     {Mode: fs.ModeDir | 0o755, Sys: Stat{Inode: 77}},
		"System/Volumes/Data/Users": {Mode: fs.ModeDir | 0o755, Sys: Stat{Inode: 77}},
		"System/Volumes/Data/srv":   {Mode: fs.ModeDir | 0o755, Sys: Stat{Inode: 78}},
		"srv/app/firm":              link("/System/Volumes/Data/Users"),
	}
	for n := 1; n <= maxLinks; n++ {
		fsys[fmt.Sprintf("srv/app/chain%03d", n)] = link(fmt.Sprintf("chain%03d", n-1))
	}
	return fsys
}

func aFile(p string) File {
	return File{Path: p, Exists: true, Type: approval.TargetRegular, Links: 1}
}
func aDir(p string) File { return File{Path: p, Exists: true, Type: approval.TargetDirectory} }
func aSpecial(p string) File {
	return File{Path: p, Exists: true, Type: approval.TargetSpecial, Links: 1}
}
func aNew(p string) File    { return File{Path: p, Type: approval.TargetAbsent} }
func ofProcess(f File) File { f.OfProcess = true; return f }

func TestFileResolves(t *testing.T) {
	longest := "/" + strings.Repeat("a/", (maxPath-2)/2) + "b"
	tests := []struct {
		name string
		path string
		cwd  string
		want File
	}{
		{"an absolute path", "/srv/app/notes.md", "", aFile("/srv/app/notes.md")},
		{"a relative path", "notes.md", "/srv/app", aFile("/srv/app/notes.md")},
		{"an absolute path ignores cwd", "/srv/app/notes.md", "/outside", aFile("/srv/app/notes.md")},
		{"a cwd that is a link", "x", "/srv/app/up", aFile("/outside/deep/x")},
		{"doubled slashes, dots and a slash at the end", "//srv/./app///notes.md/", "", aFile("/srv/app/notes.md")},
		{"parent directories", "/srv/app/src/../notes.md", "", aFile("/srv/app/notes.md")},
		{"the parent of the root is the root", "/../../srv/app/notes.md", "", aFile("/srv/app/notes.md")},
		{"the root", "/", "", aDir("/")},
		{"a directory", "/srv/app/src", "", aDir("/srv/app/src")},
		{"a device is neither", "/dev/null", "", aSpecial("/dev/null")},
		{"a FIFO is neither", "/run/fifo", "", aSpecial("/run/fifo")},
		{"a name with a line feed", "/srv/app/line\nfeed", "", aFile("/srv/app/line\nfeed")},
		{"a tilde is a name", "~/x", "/srv/app", aNew("/srv/app/~/x")},

		{"a link as the last component", "/srv/app/out.md", "", aFile("/outside/victim.txt")},
		{"a link on the way", "/srv/app/outbox/deep/x", "", aFile("/outside/deep/x")},
		{"a relative link", "/srv/app/current/log.txt", "", aNew("/srv/app/v2/log.txt")},
		{"a link with a slash at the end", "/srv/app/todir", "", aDir("/srv/app/v2")},
		{"links over links", "/srv/app/outbox/back", "", aFile("/srv/app/notes.md")},
		{"a link to the root", "/srv/app/toroot/outside/victim.txt", "", aFile("/outside/victim.txt")},
		{"a link that climbs past the root", "/srv/app/escape", "", aDir("/outside")},
		{".. behind a link leaves its target", "/srv/app/up/../victim.txt", "", aFile("/outside/victim.txt")},
		{"as many links as are followed", fmt.Sprintf("/srv/app/chain%03d", maxLinks-1), "", aFile("/srv/app/notes.md")},
		{"the same link again is no circle", "/srv/app/chain/hop000/hop000/000", "", aFile("/srv/app/notes.md")},

		{"a new file", "/srv/app/new.txt", "", aNew("/srv/app/new.txt")},
		{"a new file in new directories", "/srv/app/a/b/new.txt", "", aNew("/srv/app/a/b/new.txt")},
		{"a new file behind a link", "/srv/app/outbox/new.txt", "", aNew("/outside/new.txt")},
		{"a dangling link is its target", "/srv/app/draft.txt", "", aNew("/srv/app/other/draft.txt")},
		{"a new file behind a dangling link", "/srv/app/dangling/x", "", aNew("/nowhere/at/all/x")},
		{".. out of a new directory", "/srv/app/missing/../../new.txt", "", aNew("/srv/new.txt")},
		{".. out of a new directory into an old one", "/srv/app/missing/../outbox/victim.txt", "", aFile("/outside/victim.txt")},
		{"a link out of a new directory", "/srv/app/viamissing", "", aFile("/outside/victim.txt")},
		{"a cwd that does not exist", "x", "/gone", aNew("/gone/x")},
		{"the longest path", longest, "", aNew(longest)},

		{"a process's file", "/proc/42/environ", "", ofProcess(aFile("/proc/42/environ"))},
		{"this process's file", "/proc/self/environ", "", ofProcess(aFile("/proc/42/environ"))},
		{"a link to a process's file", "/srv/app/environ", "", ofProcess(aFile("/proc/42/environ"))},
		{"the file system through a process", "/proc/self/root/outside/victim.txt", "", ofProcess(aFile("/outside/victim.txt"))},
		{"the cwd of a process", "/proc/42/cwd/notes.md", "", ofProcess(aFile("/srv/app/notes.md"))},
		{"a file by its number", "/.vol/16777220/42", "", ofProcess(aNew("/.vol/16777220/42"))},
		{"a file by a path with flags", "/.nofollow/outside/victim.txt", "", ofProcess(aNew("/.nofollow/outside/victim.txt"))},
		{"the other place of a firmlink", "/System/Volumes/Data/Users/ann/new", "", aNew("/Users/ann/new")},
		{"the same in another case", "/system/volumes/DATA/Users/ann/new", "", aNew("/Users/ann/new")},
		{"a descriptor in another case", "/Dev/fd/2", "", ofProcess(aNew("/Dev/fd/2"))},
		{"a link to it", "/srv/app/firm/ann", "", aNew("/Users/ann")},
		{"beside the firmlinks", "/System/Volumes/Data/opt/x", "", aNew("/System/Volumes/Data/opt/x")},
		{"another directory of the same name", "/System/Volumes/Data/srv/x", "", aNew("/System/Volumes/Data/srv/x")},
		{"another file of /proc", "/proc/meminfo", "", aFile("/proc/meminfo")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Requested, tt.want.Written = tt.path, path.Join(tt.cwd, tt.path)
			if path.IsAbs(tt.path) {
				tt.want.Written = path.Clean(tt.path)
			}
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
