package corpus

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// processes puts into the tree the processes that requests name, as /proc of Linux shows them.
func processes(c *Case, tree files) error {
	subjects := []*Subject{c.Input.Subject}
	for _, s := range c.Input.Steps {
		if q, ok := s.action.(*request); ok {
			subjects = append(subjects, q.Subject)
		}
	}
	for _, s := range subjects {
		if s == nil || s.Kind != "process" || s.PID == 0 || s.StartedAt == "" {
			continue
		}
		if err := process(tree, s.PID, s.StartedAt, s.Argv); err != nil {
			return err
		}
	}
	return nil
}

// process puts one into the tree. Of /proc/PID/stat only the name and field 22 count, the start in
// hundredths of a second since the boot that /proc/stat gives (proc_pid_stat(5)).
func process(tree files, pid int, startedAt string, argv []string) error {
	at, err := instant(startedAt)
	if err != nil {
		return err
	}
	const fields, starttime = 52, 22
	stat := slices.Repeat([]string{"0"}, fields)
	stat[0], stat[1], stat[2] = fmt.Sprint(pid), "(program)", "S"
	stat[starttime-1] = fmt.Sprint(at.Sub(epoch) / (10 * time.Millisecond))
	dir := fmt.Sprintf("/proc/%d/", pid)
	tree["/proc/stat"] = fmt.Sprintf("btime %d\n", epoch.Unix())
	tree[dir+"stat"] = strings.Join(stat, " ") + "\n"
	tree[dir+"cmdline"] = strings.Join(argv, "\x00") + "\x00"
	return nil
}

// processChange is a pid that another process has now.
type processChange struct {
	PID       int      `json:"pid"`
	StartedAt string   `json:"started_at"` //nolint:tagliatelle // SCHEMA.md's spelling
	Argv      []string `json:"argv"`
}

func (p *processChange) do(ctx context.Context, r *run) (seen, error) {
	tree := files{}
	if err := process(tree, p.PID, p.StartedAt, p.Argv); err != nil {
		return seen{}, err
	}
	return seen{}, r.change(ctx, tree)
}

// fileChange is somebody else writing a file, making a link of it or, with neither, removing it.
type fileChange struct {
	Path    string  `json:"path"`
	Content *string `json:"content"`
	Link    string  `json:"link"`
}

func (f *fileChange) do(ctx context.Context, r *run) (seen, error) {
	tree := files{f.Path: nil}
	switch {
	case f.Link != "":
		tree[f.Path] = place("link", f.Link)
	case f.Content != nil:
		tree[f.Path] = *f.Content
	}
	return seen{}, r.change(ctx, tree)
}

// change changes the file tree.
func (r *run) change(ctx context.Context, tree files) error {
	return r.control(ctx, object{{"op", "files"}, {"files", tree}})
}
