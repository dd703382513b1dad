package inspect

import (
	"path"
	"slices"
	"strings"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy/shell"
)

// At is where a command starts.
type At struct {
	Cwd  string // real and absolute
	Root string // the workspace, real and absolute; "" for none
	Path string // the agent's PATH; "" for that of the Inspector's user
}

// Parts finds what the stages of a command lead to: one part a stage, in order (policy.md "Shell").
// The parts share the slices of the stages. Nothing in a command is an error here.
func (i *Inspector) Parts(stages []shell.Stage, at At) []approval.Part {
	parts := make([]approval.Part, len(stages))
	look, spent := i.bounded(maxLooks)
	files := &files{look: look, spent: spent, cwd: at.Cwd, left: maxTargets}
	for n, stage := range stages {
		parts[n] = approval.Part{
			Words: stage.Words, Dynamic: stage.Dynamic, Launchers: stage.Launchers,
			Code: stage.Code, CodeAt: stage.CodeAt,
			Elsewhere: len(stage.Dirs) > 0 || stage.Lost,
			Targets:   files.of(stage),
		}
	}
	look, spent = i.bounded(maxLooks)
	programs := look.programsOf(at, parts, spent)
	for n, stage := range stages {
		parts[n].Program = programs.of(stage)
	}
	return parts
}

// Bounds of the work on one command. A text of 64 KiB can name tens of thousands of paths, each from
// many directories.
const (
	maxTargets = 2048    // that are recorded
	maxLooks   = 1 << 16 // at an entry, for its files and again for its programs
	maxDirs    = 8       // that a stage's paths are taken from
)

// files finds the files of one command, within the bounds.
type files struct {
	look  *Inspector
	spent func() bool // the look says nothing any more
	cwd   string
	left  int // of maxTargets
}

// of is the files of a stage, each taken from every directory that the stage may run in; the same
// target is there once. What is beyond the bounds is unresolved, one for all of a kind, so that
// policy asks.
func (f *files) of(stage shell.Stage) []approval.Target {
	dirs := directories(stage, f.cwd)
	var targets []approval.Target
	seen := make(map[approval.Target]bool)
	add := func(t approval.Target) {
		if !seen[t] {
			seen[t] = true
			targets = append(targets, t)
		}
	}
	type kind struct {
		access     approval.Access
		redirected bool
	}
	beyond := make(map[kind]bool)
	for _, file := range stage.Files {
		p := Spelled{Access: file.Access, Redirected: file.Redirected, Text: file.Text, Dynamic: file.Dynamic}
		for _, dir := range dirs {
			target, ok := f.target(p, dir)
			if !ok {
				if k := (kind{p.Access, p.Redirected}); !beyond[k] {
					beyond[k] = true
					add(unresolved(p, tooMany))
				}
				break
			}
			add(target)
			if path.IsAbs(p.Text) {
				break // it is the same from everywhere
			}
		}
		// An opaque stage may set HOME, or run a program that does.
		if p.Dynamic && !stage.Complete && strings.HasPrefix(p.Text, "~") {
			add(unresolved(p, unknownText))
		}
	}
	return targets
}

// tooMany is the reason for what is beyond the bounds.
const tooMany = "the command names more paths than are looked up"

// target finds one target; false says that this is beyond the bounds.
func (f *files) target(p Spelled, dir string) (approval.Target, bool) {
	if f.left--; f.left < 0 {
		return approval.Target{}, false
	}
	target := f.look.Target(p, dir)
	return target, !f.spent()
}

func unresolved(p Spelled, why string) approval.Target {
	return approval.Target{Access: p.Access, Redirected: p.Redirected, Text: p.Text, Unresolved: why}
}

// directories are the absolute directories that a stage may run in, as the command spells them; ""
// stands for one that is not known. A shell's cd takes ".." by name, cd -P as the kernel does, so a
// directory that is spelt with ".." is there in both readings.
func directories(stage shell.Stage, cwd string) []string {
	var dirs []string
	for _, dir := range stage.Dirs {
		if !path.IsAbs(dir) {
			dir = cwd + "/" + dir
		}
		dirs = append(dirs, path.Clean(dir))
		if slices.Contains(strings.Split(dir, "/"), "..") {
			dirs = append(dirs, dir)
		}
	}
	lost := stage.Lost || len(dirs) > maxDirs
	dirs = dirs[:min(len(dirs), maxDirs)]
	switch {
	case lost && len(dirs) == 0:
		return []string{cwd, ""}
	case lost:
		return append(dirs, "")
	case len(dirs) == 0:
		return []string{cwd}
	}
	return dirs
}
