package rpc

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/inspect"
	"github.com/approvald/approvald/internal/policy"
	"github.com/approvald/approvald/internal/policy/shell"
	"github.com/approvald/approvald/wire"
)

// inspectShell splits a command and looks at what its stages lead to.
func inspectShell(look *inspect.Inspector, s *wire.OpenShell, root string) (inspected, *wire.Error) {
	out := approval.Shell{Command: s.Command, Shell: s.Shell, WorkspaceRoot: root}
	if out.Shell == "" {
		out.Shell = "bash"
	}
	switch {
	case s.Command == "":
		return inspected{}, invalid("subject.command must not be empty")
	case out.Shell != "bash" && out.Shell != "sh" && out.Shell != "zsh":
		return inspected{}, invalid("subject.shell must be bash, sh or zsh")
	}
	if e := first(noNUL("subject.command", s.Command), bounded("subject.command", s.Command, maxCommand),
		bounded("subject.path", s.Path, maxRawArgs), noNUL("subject.path", s.Path)); e != nil {
		return inspected{}, e
	}
	cwd, e := workingDir(look, s.Cwd, root)
	if e != nil {
		return inspected{}, e
	}
	out.Cwd = cwd
	stages := shell.Stages(out.Command, out.Shell, out.Cwd)
	out.Stages = policy.Stages(approval.ID{}, stages)
	parts := look.Parts(stages, inspect.At{Cwd: out.Cwd, Root: root, Path: s.Path})
	return inspected{subject: out, found: approval.Found{Parts: parts, Path: s.Path}}, nil
}

// workingDir is the real directory that relative paths start from: the call's
// cwd, else the workspace.
func workingDir(look *inspect.Inspector, cwd, root string) (string, *wire.Error) {
	if cwd == "" {
		cwd = root
	}
	if cwd == "" {
		return "", invalid("subject.cwd must be given: the session has no workspaceRoot")
	}
	if e := bounded("subject.cwd", cwd, maxPathLength); e != nil {
		return "", e
	}
	dir, err := look.Dir(cwd, root)
	if err != nil {
		return "", invalid("subject.cwd: %v", err)
	}
	return dir, nil
}
