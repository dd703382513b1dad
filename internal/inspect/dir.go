package inspect

import (
	"errors"
	"fmt"
)

// Dir returns the real path of an existing directory, such as the cwd of a command. It is taken from
// the absolute directory base where it is relative; base may be empty where it is not.
func (i *Inspector) Dir(path, base string) (string, error) {
	at, err := i.locate(path, base)
	switch {
	case err != nil:
		return "", err
	case at.processes:
		return "", fmt.Errorf("%q leads through one process's files in /proc, and this process's are not the agent's; name the directory itself", path)
	case at.info == nil:
		return "", fmt.Errorf("the directory %q does not exist; name one that does", path)
	case !at.info.IsDir():
		return "", fmt.Errorf("%q is not a directory; name one", path)
	}
	return at.path, nil
}

// Forbidden lists, as absolute paths, what a workspace must not hold. They need not exist.
type Forbidden struct {
	Homes []string // home directories: none of them may be a workspace
	Own   []string // approvald's state, runtime and configuration: no workspace may contain one
}

// WorkspaceRoot returns the real path of a workspace: an existing directory, given as an absolute
// path, that is not "/", not a home directory, and does not contain a directory of approvald's own
// (protocol §2). What is forbidden is compared by real path too, so that a link is no way around it.
func (i *Inspector) WorkspaceRoot(path string, forbidden Forbidden) (string, error) {
	root, err := i.Dir(path, "")
	if err != nil {
		return "", fmt.Errorf("workspaceRoot: %w", err)
	}
	if root == "/" {
		return "", errors.New("workspaceRoot is the whole file system; name the directory of the project")
	}
	for _, system := range []string{"/proc", "/sys", "/dev"} {
		if Contains(system, root) {
			return "", fmt.Errorf("workspaceRoot %q is a part of the running system; name the directory of the project", root)
		}
	}
	for _, home := range forbidden.Homes {
		at, err := i.locate(home, "")
		if err != nil {
			return "", fmt.Errorf("workspaceRoot %q cannot be compared with a home directory: %w", root, err)
		}
		if root == at.path {
			return "", fmt.Errorf("workspaceRoot %q is a home directory; name the directory of the project below it", root)
		}
	}
	for _, own := range forbidden.Own {
		at, err := i.locate(own, "")
		if err != nil {
			return "", fmt.Errorf("workspaceRoot %q cannot be compared with approvald's own directories: %w", root, err)
		}
		if Contains(root, at.path) {
			return "", fmt.Errorf("workspaceRoot %q contains %q, which is approvald's own; name the directory of the project", root, at.path)
		}
	}
	return root, nil
}
