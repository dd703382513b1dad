package inspect

import (
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy/shell"
)

func owned(mode fs.FileMode, uid, gid uint32) *fstest.MapFile {
	return &fstest.MapFile{Mode: mode, Sys: Stat{Links: 1, UID: uid, GID: gid}}
}

func programTree() fstest.MapFS {
	const d = fs.ModeDir
	fsys := fstest.MapFS{
		".":                     owned(d|0o755, 0, 0),
		"usr":                   owned(d|0o755, 0, 0),
		"usr/bin":               owned(d|0o755, 0, 0),
		"usr/bin/git":           owned(0o755, 0, 0),
		"usr/bin/env":           owned(0o755, 0, 0),
		"usr/bin/plain":         owned(0o644, 0, 0),
		"usr/bin/dir":           owned(d|0o755, 0, 0),
		"usr/bin/awk":           link("/etc/alternatives/awk"),
		"usr/bin/mawk":          owned(0o755, 0, 0),
		"usr/bin/dangling":      link("/nowhere"),
		"usr/bin/pipe":          owned(fs.ModeNamedPipe|0o755, 0, 0),
		"usr/bin/loose":         link("/etc/loose/x"),
		"usr/bin/loop":          link("loop"),
		"usr/bin/towork":        link("/srv/app/tool"),
		"etc/alternatives/awk":  link("/usr/bin/mawk"),
		"etc/alternatives":      owned(d|0o755, 0, 0),
		"etc/loose":             owned(d|0o777, 0, 0),
		"etc/loose/x":           link("/usr/bin/git"),
		"bin":                   link("usr/bin"),
		"srv/app":               owned(d|0o755, 1000, 1000),
		"srv/app/tool":          owned(0o755, 1000, 1000),
		"srv/app/bin/git":       owned(0o755, 1000, 1000),
		"srv/app/bin/link":      link("/usr/bin/git"),
		"home/ann":              owned(d|0o775, 1000, 1000),
		"home/ann/bin":          owned(d|0o775, 1000, 1000),
		"home/ann/link/git":     link("/outside/none"),
		"home/ann/bin/sticky":   owned(fs.ModeSticky|0o777, 1000, 1000),
		"home/ann/bin/own":      owned(0o775, 1000, 1000),
		"home/ann/bin/staff":    owned(0o775, 1000, 50),
		"home/ann/bin/world":    owned(0o757, 1000, 1000),
		"home/ann/bin/bob":      owned(0o755, 1001, 1001),
		"home/ann/bin/wheel":    owned(0o775, 0, 0),
		"tmp":                   owned(d|fs.ModeSticky|0o777, 0, 0),
		"tmp/x":                 owned(0o755, 1000, 1000),
		"tmp/venv":              owned(d|0o755, 1000, 1000),
		"tmp/venv/bin":          owned(d|0o755, 1000, 1000),
		"tmp/venv/bin/py":       owned(0o755, 1000, 1000),
		"open":                  owned(d|0o777, 0, 0),
		"open/venv":             owned(d|0o755, 1000, 1000),
		"open/venv/bin":         owned(d|0o755, 1000, 1000),
		"open/venv/bin/py":      owned(0o755, 1000, 1000),
		"bobs":                  owned(d|0o755, 1001, 1001),
		"bobs/bin/x":            owned(0o755, 0, 0),
		"nix/store":             owned(d|fs.ModeSticky|0o775, 0, 30000),
		"nix/store/abc/bin/sed": owned(0o555, 0, 0),
		"proc/self":             link("42"),
		"proc/42/root":          link("/"),
	}
	for _, file := range fsys {
		if file.Sys == nil {
			file.Sys = Stat{Links: 1}
		}
	}
	return fsys
}

func TestProgram(t *testing.T) {
	const system = "/usr/local/bin:/usr/bin:/bin"
	tests := []struct {
		name      string
		path      string // PATH
		word      string
		want      string
		untrusted string // part of it, "" for none
	}{
		{"the first directory that has it", system, "git", "/usr/bin/git", ""},
		{"a directory that is a link", "/bin", "git", "/usr/bin/git", ""},
		{"a slash at the end of a directory", "/usr/bin/", "git", "/usr/bin/git", ""},
		{"links over directories", system, "awk", "/usr/bin/mawk", ""},
		{"found nowhere", system, "gti", "", ""},
		{"without PATH", "", "git", "", ""},
		{"a file that nobody may execute is passed over", "/usr/bin:/srv/app/bin", "plain", "", ""},
		{"so is a directory", system, "dir", "", ""},
		{"and a dangling link", system, "dangling", "", ""},
		{"and a FIFO", system, "pipe", "", ""},
		{"and a circle", system, "loop", "", ""},
		{"a directory that is a file is passed over", "/usr/bin/git:/usr/bin", "git", "/usr/bin/git", ""},

		{"inside the workspace", "/srv/app/bin:/usr/bin", "git", "/srv/app/bin/git", "inside the workspace"},
		{"behind the system's", "/usr/bin:/srv/app/bin", "git", "/usr/bin/git", ""},
		{"a link inside the workspace", "/srv/app/bin", "link", "/usr/bin/git", "inside the workspace"},
		{"a link into the workspace", system, "towork", "/srv/app/tool", "inside the workspace"},
		{"through a link that others can change", system, "loose", "/usr/bin/git", `everyone can write "/etc/loose"`},

		{"the user's own", "/home/ann/bin", "own", "/home/ann/bin/own", ""},
		{"root's, group root", "/home/ann/bin", "wheel", "/home/ann/bin/wheel", ""},
		{"a group's", "/home/ann/bin", "staff", "/home/ann/bin/staff", "a group of users can write"},
		{"everyone's", "/home/ann/bin", "world", "/home/ann/bin/world", "everyone can write"},
		{"everyone's, sticky", "/home/ann/bin", "sticky", "/home/ann/bin/sticky", "everyone can write"},
		{"another user's", "/home/ann/bin", "bob", "/home/ann/bin/bob", "belongs to another user"},
		{"a directory that everyone can write, sticky", "/tmp", "x", "/tmp/x", `everyone can write "/tmp"`},
		{"below a sticky directory", "/tmp/venv/bin", "py", "/tmp/venv/bin/py", ""},
		{"below a directory that everyone can write", "/open/venv/bin", "py", "/open/venv/bin/py", `everyone can write "/open"`},
		{"below another user's directory", "/bobs/bin", "x", "/bobs/bin/x", `"/bobs" belongs to another user`},
		{"below a sticky directory of a group", "/nix/store/abc/bin", "sed", "/nix/store/abc/bin/sed", ""},

		{"behind an empty directory", ":/usr/bin", "git", "/usr/bin/git", "empty or relative"},
		{"before an empty directory", "/usr/bin:", "git", "/usr/bin/git", ""},
		{"behind a relative directory", "bin:/usr/bin", "git", "/usr/bin/git", "empty or relative"},
		{"behind a directory of a process", "/proc/self/cwd/bin:/usr/bin", "git", "/usr/bin/git", "empty or relative"},
		{"behind a tilde", "~/bin:/usr/bin", "git", "/usr/bin/git", "empty or relative"},
		{"nowhere but perhaps in an empty directory", "/usr/bin:", "gti", "", "empty or relative"},

		{"a path", system, "./tool", "/srv/app/tool", ""},
		{"a path with a link", system, "bin/link", "/usr/bin/git", ""},
		{"an absolute path", "", "/bin/git", "/usr/bin/git", ""},
		{"a path to nothing", system, "./gone", "", ""},
		{"a path through a process", system, "/proc/self/root/usr/bin/git", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			look := New(programTree()).As(User{UID: 1000, GID: 1000})
			stage := shell.Stage{Argv: []string{tt.word}, Complete: true}
			got := look.Parts([]shell.Stage{stage}, At{Cwd: "/srv/app", Root: "/srv/app", Path: tt.path})[0].Program
			checkProgram(t, got, tt.want, tt.untrusted)
		})
	}
}

func checkProgram(t *testing.T, got approval.Program, want, untrusted string) {
	t.Helper()
	if got.Path != want || (untrusted == "") != (got.Untrusted == "") || !strings.Contains(got.Untrusted, untrusted) {
		t.Errorf("the program is %+v, want %q and untrusted %q", got, want, untrusted)
	}
}

func TestProgramOfAStage(t *testing.T) {
	git := []string{"git"}
	tests := []struct {
		name      string
		stage     shell.Stage
		want      string
		untrusted string
	}{
		{"complete", shell.Stage{Argv: git, Complete: true}, "/usr/bin/git", ""},
		{"a builtin", shell.Stage{Argv: git, Complete: true, Builtin: true}, "", ""},
		{"opaque, words known", shell.Stage{Argv: []string{"git $x"}, Words: []string{"git", "$x"}, Dynamic: []int{1}}, "/usr/bin/git", ""},
		{"opaque, nothing known", shell.Stage{Argv: git}, "", ""},
		{"a word that only the shell knows", shell.Stage{Argv: []string{"$x"}, Words: []string{"git"}, Dynamic: []int{0}}, "", ""},
		{"started by a launcher", shell.Stage{Argv: git, Complete: true, Launchers: [][]string{{"env", "A=1"}}}, "/usr/bin/git", ""},
		{"by one of the workspace", shell.Stage{Argv: git, Complete: true, Launchers: [][]string{{"env"}, {"tool"}}}, "/usr/bin/git", `"tool" starts it, and "/srv/app/tool" lies inside`},
		{"by one that is spelt as a path", shell.Stage{Argv: git, Complete: true, Launchers: [][]string{{"./tool"}}}, "/usr/bin/git", ""},
		{"a relative path from another directory", shell.Stage{Argv: []string{"./tool"}, Complete: true, Dirs: []string{"bin"}}, "", ""},
		{"an absolute path from another directory", shell.Stage{Argv: []string{"/srv/app/tool"}, Complete: true, Lost: true}, "/srv/app/tool", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			look := New(programTree()).As(User{UID: 1000, GID: 1000, Path: "/usr/bin:/srv/app"})
			got := look.Parts([]shell.Stage{tt.stage}, At{Cwd: "/srv/app", Root: "/srv/app"})[0].Program
			checkProgram(t, got, tt.want, tt.untrusted)
		})
	}
}

// What a command puts into the PATH is what its later stages find there.
func TestProgramIsNotTrustedWhereTheCommandWritesIt(t *testing.T) {
	tests := []struct {
		name    string
		file    shell.File
		trusted bool
	}{
		{"before the program", shell.File{Access: approval.Write, Text: "/home/ann/bin/git"}, false},
		{"a directory before the program", shell.File{Access: approval.Write, Text: "/home/ann/bin"}, false},
		{"the program itself, by a link", shell.File{Access: approval.Write, Text: "/bin/git"}, false},
		{"another name before the program", shell.File{Access: approval.Write, Text: "/home/ann/bin/gti"}, true},
		{"behind the program", shell.File{Access: approval.Write, Text: "/srv/app/bin/git"}, true},
		{"a directory of the PATH that it makes", shell.File{Access: approval.Write, Text: "/home/ann/new/git"}, false},
		{"a directory of the PATH that it copies", shell.File{Access: approval.Write, Text: "/home/ann/new"}, false},
		{"in place of a link before the program", shell.File{Access: approval.Write, Text: "/home/ann/link/git"}, false},
		{"what it reads", shell.File{Access: approval.Read, Text: "/home/ann/bin/git"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stages := []shell.Stage{
				{Argv: []string{"tee"}, Complete: true, Files: []shell.File{tt.file}},
				{Argv: []string{"git"}, Complete: true},
			}
			look := New(programTree()).As(User{UID: 1000, GID: 1000, Path: "/home/ann/bin:/home/ann/new:/home/ann/link:/usr/bin:/srv/app/bin"})
			got := look.Parts(stages, At{Cwd: "/srv/app"})[1].Program
			if got.Path != "/usr/bin/git" || (got.Untrusted == "") != tt.trusted {
				t.Errorf("the program is %+v, want /usr/bin/git, trusted %v", got, tt.trusted)
			}
		})
	}
}

func TestProgramIsNotTrustedWhereTheCommandWritesBehindItsLink(t *testing.T) {
	for file, trusted := range map[string]bool{"/usr/bin/mawk": false, "/usr/bin/awk": false, "/usr/bin/git": true} {
		stages := []shell.Stage{{
			Argv: []string{"awk"}, Complete: true,
			Files: []shell.File{{Access: approval.Write, Text: file}},
		}}
		got := New(programTree()).Parts(stages, At{Cwd: "/srv/app", Path: "/usr/bin"})[0].Program
		if got.Path != "/usr/bin/mawk" || (got.Untrusted == "") != trusted {
			t.Errorf("awk is %+v where %s is written, want trusted %v", got, file, trusted)
		}
	}
}

// A group is a user's own only by the number that it has; others may be in any
// other, also in the user's first.
func TestProgramOfAGroupIsTrustedOnlyIfTheGroupIsTheUsersOwn(t *testing.T) {
	fsys := programTree()
	fsys["opt/first"] = owned(0o775, 1000, 100)
	fsys["opt/own"] = owned(0o775, 1000, 1000)
	tests := []struct {
		name    string
		gid     uint32
		trusted bool
	}{{"first", 100, false}, {"first", 1000, false}, {"own", 100, false}, {"own", 1000, true}}
	for _, tt := range tests {
		look := New(fsys).As(User{UID: 1000, GID: tt.gid, Path: "/opt"})
		got := look.Parts([]shell.Stage{{Argv: []string{tt.name}, Complete: true}}, At{Cwd: "/"})[0].Program
		if got.Path == "" || (got.Untrusted == "") != tt.trusted {
			t.Errorf("%s with the first group %d: %+v, want trusted %v", tt.name, tt.gid, got, tt.trusted)
		}
	}
}

func TestProgramSearchIsBounded(t *testing.T) {
	long := strings.Repeat("/none:", maxPathDirs)
	for path, trusted := range map[string]bool{long[:len(long)-1] + ":/usr/bin": false, long[len("/none:"):] + "/usr/bin": true} {
		got := New(programTree()).Parts([]shell.Stage{{Argv: []string{"git"}, Complete: true}}, At{Cwd: "/", Path: path})[0].Program
		if (got.Untrusted == "") != trusted || (got.Path != "") != trusted {
			t.Errorf("in %d directories: %+v, want trusted %v", strings.Count(path, ":")+1, got, trusted)
		}
	}
}

// On the real machine it is the program that exec.LookPath finds.
func TestProgramIsTheOneThatTheSystemFinds(t *testing.T) {
	for _, name := range []string{"sh", "cat", "go", "no-such-program"} {
		want, err := exec.LookPath(name)
		if err == nil {
			if want, err = filepath.EvalSymlinks(want); err != nil {
				t.Fatal(err)
			}
		}
		got := Host().Parts([]shell.Stage{{Argv: []string{name}, Complete: true}}, At{Cwd: "/"})[0].Program
		if got.Path != want {
			t.Errorf("%s is %+v, want %q", name, got, want)
		}
	}
}
