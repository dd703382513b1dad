package rpc

import (
	"strings"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/inspect"
	"github.com/approvald/approvald/wire"
)

// inspectFile finds out where a path really leads. What may never be touched
// there is for policy to say.
func inspectFile(look *inspect.Inspector, s *wire.OpenFile, tool, root string) (inspected, *wire.Error) {
	content := 0
	if s.Content != nil {
		content = len(*s.Content)
	}
	switch {
	case s.Access != wire.AccessRead && s.Access != wire.AccessWrite:
		return inspected{}, invalid("subject.access must be read or write")
	case content+len(s.Diff) > maxContentAndDiff:
		return inspected{}, invalid("subject.content and subject.diff must be at most %d bytes long together", maxContentAndDiff)
	case s.Path == "":
		return inspected{}, invalid("subject.path must not be empty")
	}
	if e := bounded("subject.path", s.Path, maxPathLength); e != nil {
		return inspected{}, e
	}
	cwd := ""
	if !strings.HasPrefix(s.Path, "/") || s.Cwd != "" {
		var e *wire.Error
		if cwd, e = workingDir(look, s.Cwd, root); e != nil {
			return inspected{}, e
		}
	}
	found, err := look.File(s.Path, cwd)
	if err != nil {
		return inspected{}, invalid("subject.path: %v", err)
	}
	if strings.Contains(s.Path, "..") && !found.OfProcess {
		if e := unambiguous(look, found); e != nil {
			return inspected{}, e
		}
	}
	if found.OfProcess {
		// The daemon's own entry is not the agent's: what is shown is what was named.
		found.Path = found.Written
	}
	target := found.Target(approval.Access(s.Access))
	out := inspected{found: approval.Found{File: &target}}
	file := approval.File{
		ToolName: tool, Path: found.Path, RequestedPath: s.Path,
		Access: string(s.Access), Exists: found.Exists, Diff: s.Diff,
	}
	if len(s.Diff) > maxPublishedDiff {
		out.diff, file.Diff, file.DiffOmitted = s.Diff, "", true
		file.DiffDigest = digestOf(s.Diff)
	}
	out.subject = file
	return out, nil
}

// unambiguous refuses a path in which .. stands behind a link: the kernel goes up from
// where the link leads, and a program that cleans its paths first from where it stands,
// so that a rule for the one file would be a permit for the other.
func unambiguous(look *inspect.Inspector, found inspect.File) *wire.Error {
	byName, err := look.File(found.Written, "")
	if err != nil || byName.Path != found.Path {
		return invalid("subject.path: %q leads to %q where its links are followed and to %q by name; give the path that is meant, without ..",
			found.Requested, found.Path, found.Written)
	}
	return nil
}
