package rpc

import (
	"fmt"
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/inspect"
	"github.com/approvald/approvald/internal/policy/shell"
	"github.com/approvald/approvald/wire"
)

// lookAgain inspects the target of an action once more: its findings are those of
// now from here on, so that policy judges what would be done now. It says how the
// target differs from what was approved; "" where it does not. What cannot be
// looked at any more differs.
func lookAgain(look *inspect.Inspector, a *approval.Action) (changed string) {
	switch s := a.Subject.(type) {
	case approval.File:
		return lookAtFile(look, s, &a.Found)
	case approval.Process:
		return lookAtProcess(look, s)
	case approval.Shell:
		return lookAtCommand(look, s, &a.Found)
	}
	return ""
}

func lookAtFile(look *inspect.Inspector, s approval.File, found *approval.Found) string {
	if was := found.File; was != nil && was.Written != "" {
		file, err := look.File(was.Written, "")
		if err != nil {
			return fmt.Sprintf("the path %q cannot be followed any more: %v", was.Written, err)
		}
		now := file.Target(was.Access)
		now.Text = was.Text
		found.File = &now
		switch {
		case now.Path != was.Path:
			return fmt.Sprintf("the path %q leads to %q now, and what was approved is %q", was.Written, now.Path, s.Path)
		case now.OfProcess != was.OfProcess || now.Type == approval.TargetSpecial && was.Type != approval.TargetSpecial:
			return fmt.Sprintf("what is at %q is no file any more", s.Path)
		case now.Links > 1 && was.Links <= 1 && was.Access == approval.Write:
			return fmt.Sprintf("the file %q has another name by now, which it did not have when this was approved", s.Path)
		}
	}
	if found.Image == nil {
		return ""
	}
	switch now, err := look.Image(s.Path); {
	case err != nil:
		return fmt.Sprintf("the file %q cannot be compared with what it was: %v", s.Path, err)
	case now.Parent != found.Image.Parent:
		return fmt.Sprintf("the directory of the file %q is another one now", s.Path)
	case found.Image.Absent() && !now.Absent():
		return fmt.Sprintf("the file %q was not there when this was approved, and is now", s.Path)
	case now != *found.Image:
		return fmt.Sprintf("the file %q was changed since this was approved", s.Path)
	}
	return ""
}

// lookAtCommand finds out where the paths and programs of a command lead now.
// That files come and go between approval and use is how commands work; that a
// path comes to lead elsewhere is not.
func lookAtCommand(look *inspect.Inspector, s approval.Shell, found *approval.Found) string {
	if dir, err := look.Dir(s.Cwd, ""); err != nil || dir != s.Cwd {
		return fmt.Sprintf("the directory %q is another one now", s.Cwd)
	}
	stages := shell.Stages(s.Command, s.Shell, s.Cwd)
	if len(stages) != len(s.Stages) || len(stages) != len(found.Parts) {
		return "" // another version split it, and what it found stands
	}
	was := found.Parts
	found.Parts = look.Parts(stages, inspect.At{Cwd: s.Cwd, Root: s.WorkspaceRoot, Path: found.Path})
	for i, now := range found.Parts {
		if now.Program.Path != was[i].Program.Path {
			return fmt.Sprintf("the program of part %d is %q now, and was %q", i+1, now.Program.Path, was[i].Program.Path)
		}
		if len(now.Targets) != len(was[i].Targets) {
			return fmt.Sprintf("part %d touches other files now", i+1)
		}
		for n, target := range now.Targets {
			if target.Path != was[i].Targets[n].Path {
				return fmt.Sprintf("the path %q leads to %q now, and led to %q", target.Text, target.Path, was[i].Targets[n].Path)
			}
		}
	}
	return ""
}

func lookAtProcess(look *inspect.Inspector, s approval.Process) string {
	if s.PID == 0 || s.StartedAt == "" {
		return ""
	}
	now, ok := look.Process(s.PID)
	switch {
	case !ok:
		return fmt.Sprintf("process %d is not there any more", s.PID)
	case string(wire.FormatTime(now.StartedAt)) != s.StartedAt, len(s.Argv) > 0 && !slices.Equal(now.Argv, s.Argv):
		return fmt.Sprintf("process %d is another one now", s.PID)
	}
	return ""
}
