package inspect

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy/shell"
)

// maxPathDirs bounds how many directories of a PATH are searched.
const maxPathDirs = 128

// programs finds the programs of one command. Each name is looked up once.
type programs struct {
	look    *Inspector
	spent   func() bool // the look says nothing any more
	at      At
	dirs    []pathDir
	written []approval.Target // what the command itself writes
	found   map[string]approval.Program
}

// pathDir is a directory of the PATH.
type pathDir struct {
	path   string // real, perhaps of what is not there yet; "" where it cannot be searched
	varies bool   // empty or relative: which directory it is depends on where the command is then
}

func (i *Inspector) programsOf(at At, parts []approval.Part, spent func() bool) *programs {
	p := &programs{look: i, spent: spent, at: at, found: make(map[string]approval.Program)}
	list := at.Path
	if list == "" {
		list = i.user.Path
	}
	if list != "" {
		for dir := range strings.SplitSeq(list, ":") {
			p.dirs = append(p.dirs, i.pathDir(dir))
			if len(p.dirs) > maxPathDirs {
				break
			}
		}
	}
	for _, part := range parts {
		for _, t := range part.Targets {
			if t.Access == approval.Write && t.Path != "" {
				p.written = append(p.written, t)
			}
		}
	}
	return p
}

func (i *Inspector) pathDir(dir string) pathDir {
	if !path.IsAbs(dir) {
		return pathDir{varies: true}
	}
	at, err := i.locate(dir, "")
	switch {
	case err != nil:
		return pathDir{} // a shell passes over it too
	case at.processes: // /proc/self/cwd/bin is another place for the agent
		return pathDir{varies: true}
	}
	return pathDir{path: at.path}
}

// of is the program that a stage starts. A stage whose command word is not known, or is a builtin's,
// has none; where a launcher that starts it is not to be trusted, neither is the program.
func (p *programs) of(stage shell.Stage) approval.Program {
	words := stage.Words
	if stage.Complete {
		words = stage.Argv
	}
	if len(words) == 0 || stage.Builtin || slices.Contains(stage.Dynamic, 0) {
		return approval.Program{}
	}
	if strings.Contains(words[0], "/") {
		return p.byPath(words[0], stage)
	}
	program := p.byName(words[0])
	for _, launcher := range stage.Launchers {
		if program.Untrusted != "" || len(launcher) == 0 || strings.Contains(launcher[0], "/") {
			continue
		}
		if why := p.byName(launcher[0]).Untrusted; why != "" {
			program.Untrusted = fmt.Sprintf("%.40q starts it, and %s", launcher[0], why)
		}
	}
	return program
}

// byPath is the program that a command word with a slash names. From another directory than the
// command's own a relative one is not known.
func (p *programs) byPath(word string, stage shell.Stage) approval.Program {
	if !path.IsAbs(word) && (len(stage.Dirs) > 0 || stage.Lost) {
		return approval.Program{}
	}
	at, err := p.look.locate(word, p.at.Cwd)
	if err != nil || at.info == nil || at.processes {
		return approval.Program{}
	}
	return approval.Program{Path: at.path}
}

// byName searches the PATH for a bare name.
func (p *programs) byName(name string) approval.Program {
	if found, known := p.found[name]; known {
		return found
	}
	found := p.search(name)
	if p.spent() {
		found = approval.Program{Untrusted: "too much would have to be looked up to find it"}
	}
	p.found[name] = found
	return found
}

// search is what a shell does: the first executable file of that name. A name that is found nowhere
// is not trusted either once the PATH has a directory that varies.
func (p *programs) search(name string) approval.Program {
	why := ""
	for n, dir := range p.dirs {
		switch {
		case n == maxPathDirs:
			return approval.Program{Untrusted: fmt.Sprintf("the PATH has more than %d directories", maxPathDirs)}
		case dir.varies:
			why = "the PATH has an empty or relative directory, or one of a process, so that it depends on who looks and from where"
		case dir.path == "":
		default:
			file := path.Join(dir.path, name)
			if why == "" && p.writes(file) {
				why = fmt.Sprintf("the command itself writes where the name is looked up, %q", file)
			}
			if at, ok := p.executable(file); ok {
				if why == "" && p.writes(at.path) {
					why = fmt.Sprintf("the command itself writes the program, %q", at.path)
				}
				if why == "" {
					why = p.untrusted(at)
				}
				return approval.Program{Path: at.path, Untrusted: why}
			}
		}
	}
	return approval.Program{Untrusted: why}
}

// writes reports whether the command may put something at file before the name is looked up: it
// writes the file, or a directory above it, or what replaces a link there.
func (p *programs) writes(file string) bool {
	return slices.ContainsFunc(p.written, func(t approval.Target) bool {
		return Contains(t.Path, file) || t.Written == file
	})
}

// executable looks at a file that may be a program: a regular file, behind any links, that someone
// may execute.
func (p *programs) executable(file string) (place, bool) {
	// Most names are in one directory of many, and one look says so.
	if _, err := p.look.fsys.Lstat(fsName(file)); err != nil {
		return place{}, false
	}
	at, err := p.look.locate(file, "")
	if err != nil || at.info == nil || !at.info.Mode().IsRegular() || at.info.Mode().Perm()&fs.FileMode(0o111) == 0 {
		return place{}, false
	}
	return at, true
}

// untrusted says why a program, or a link on the way to it, could be another's tomorrow: it lies in
// the workspace, where agents write, or others can write it (policy.md "Shell").
func (p *programs) untrusted(at place) string {
	for _, file := range append(at.links, at.path) {
		if p.at.Root != "" && Contains(p.at.Root, file) {
			return fmt.Sprintf("%q lies inside the workspace", file)
		}
		if why := p.look.writable(file); why != "" {
			return why
		}
	}
	return ""
}
