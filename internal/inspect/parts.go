package inspect

import (
	"path"
	"slices"
	"strings"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy/shell"
)

// Bounds of the work on one command. A text of 64 KiB can name tens of thousands of paths, each from
// many directories; what is beyond is unresolved, so that policy asks.
const (
	maxTargets = 2048 // of a command that are looked up
	maxDirs    = 8    // that a stage's paths are taken from
)

// tooMany is the reason for what is beyond the bounds.
const tooMany = "the command names more paths than are looked up"

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
	left := maxTargets
	for n, stage := range stages {
		parts[n] = approval.Part{
			Words: stage.Words, Dynamic: stage.Dynamic, Launchers: stage.Launchers,
			Code: stage.Code, CodeAt: stage.CodeAt,
			Elsewhere: len(stage.Dirs) > 0 || stage.Lost,
			Targets:   i.targets(stage, at.Cwd, &left),
		}
	}
	programs := i.programsOf(at, parts)
	for n, stage := range stages {
		parts[n].Program = programs.of(stage)
	}
	return parts
}

// targets are the files of a stage, each taken from every directory that the stage may run in; the
// same target is there once. It takes what it looks up from left.
func (i *Inspector) targets(stage shell.Stage, cwd string, left *int) []approval.Target {
	dirs := directories(stage, cwd)
	var targets []approval.Target
	add := func(t approval.Target) {
		if !slices.Contains(targets, t) {
			targets = append(targets, t)
		}
	}
	for _, f := range stage.Files {
		spelled := Spelled{Access: f.Access, Redirected: f.Redirected, Text: f.Text, Dynamic: f.Dynamic}
		for _, dir := range dirs {
			if *left--; *left < 0 {
				targets = append(targets, unresolved(spelled, tooMany))
				break
			}
			add(i.Target(spelled, dir))
			if path.IsAbs(f.Text) {
				break // it is the same from everywhere
			}
		}
		// An opaque stage may set HOME, or run a program that does.
		if f.Dynamic && !stage.Complete && strings.HasPrefix(f.Text, "~") {
			add(unresolved(spelled, unknownText))
		}
	}
	return targets
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
