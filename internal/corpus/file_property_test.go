package corpus_test

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// insidePolicy allows everything in the workspace.
const insidePolicy = `
[[rule]]
effect = "allow"
kind = "file"
access = "read"
path_glob = "**"
[[rule]]
effect = "allow"
kind = "file"
access = "write"
path_glob = "**"
`

// TestNoFileOutsideIsTouched holds approvald against the file system: whatever is allowed under rules
// for everything in the workspace, among links of every kind, is carried out as a file tool would, and
// neither reads nor writes anything outside.
func TestNoFileOutsideIsTouched(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.obey(t, insidePolicy)
	done := 0
	rounds(t, func() {
		rapid.Check(t, func(rt *rapid.T) {
			s.plant(rt)
			before := s.outside(rt)
			for range tries() {
				access := rapid.SampledFrom([]string{"read", "write"}).Draw(rt, "access")
				path := strings.ReplaceAll(way(rt), "ROOT", s.dir)
				if !s.allows(t, rt, map[string]any{"kind": "fileAccess", "path": path, "access": access, "cwd": s.path("work")}) {
					continue
				}
				done++
				if at, err := carryOut(s.path("work"), path, access); err == nil && !within(s.path("work"), at) {
					rt.Fatalf("allowed to %s %q, which is %q", access, path, at)
				}
				if after := s.outside(rt); after != before {
					rt.Fatalf("allowed to %s %q, and what is outside changed\nfrom %s\nto %s", access, path, before, after)
				}
			}
		})
	})
	t.Logf("%d were carried out, of %d", done, s.calls)
}

// TestNoRedirectionWritesOutside is the same for redirections of a shell, in directories that the
// command changes to.
func TestNoRedirectionWritesOutside(t *testing.T) {
	t.Parallel()
	ground := newGround(t)
	ground.obey(t, insidePolicy+`
[[rule]]
effect = "allow"
kind = "shell"
argv_prefix = ["echo"]
[[rule]]
effect = "allow"
kind = "shell"
argv_prefix = ["cd"]
`)
	rounds(t, func() {
		rapid.Check(t, func(rt *rapid.T) {
			ground.plant(rt)
			before := ground.outside(rt)
			for range tries() {
				text := strings.ReplaceAll(redirected(rt), "ROOT", ground.dir)
				subject := map[string]any{"kind": "shell", "command": text, "cwd": ground.path("work"), "path": systemPath}
				if !ground.allows(t, rt, subject) {
					continue
				}
				ground.try(text)
				if after := ground.outside(rt); after != before {
					rt.Fatalf("allowed to run %q, and what is outside changed\nfrom %s\nto %s", text, before, after)
				}
			}
		})
	})
	t.Logf("%d were run, of %d", ground.ran, ground.calls)
}

// redirected draws a text that writes a file somewhere.
func redirected(rt *rapid.T) string {
	draw := func(from ...string) string { return rapid.SampledFrom(from).Draw(rt, "piece") }
	text := ""
	if draw("", "", "cd") != "" {
		text = "cd " + draw("a", "./a", "..", "c", "a/..", "work", "out", "-P a", "-L c/..", ".", "ROOT/out") + draw(" && ", "; ")
	}
	write := draw(">", ">>", ">|", "&>", "<>", "1>", ">&") + " " + way(rt)
	return text + draw("echo x "+write, write+" echo x", "{ echo x; } "+write, "( echo x ) "+write, "if true; then echo x; fi "+write)
}

// pieces are the names that trees and paths are made of.
var pieces = []string{"a", "b", "c", "work", "out", ".."}

// way draws a path.
func way(rt *rapid.T) string {
	parts := rapid.SliceOfN(rapid.SampledFrom(append([]string{".", ""}, pieces...)), 1, 5).Draw(rt, "path")
	if from := rapid.SampledFrom([]string{"", "", "", "ROOT", "ROOT/work", "ROOT/out"}).Draw(rt, "from"); from != "" {
		return from + "/" + strings.Join(parts, "/")
	}
	return strings.Join(parts, "/")
}

// plant grows a tree: work is the workspace and out is not, with files, directories, links that lead
// anywhere and second names.
func (s *served) plant(rt *rapid.T) {
	for _, top := range []string{"work", "out"} {
		if err := os.RemoveAll(s.path(top)); err != nil {
			rt.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(s.path(top), "a"), 0o755); err != nil {
			rt.Fatal(err)
		}
	}
	for _, name := range []string{"work/b", "out/b", "out/a/c"} {
		if err := os.WriteFile(s.path(name), []byte(name), 0o600); err != nil {
			rt.Fatal(err)
		}
	}
	names := rapid.SampledFrom([]string{"work/c", "work/a/a", "work/a/b", "work/a/c", "out/c", "work/work", "work/out"})
	for range rapid.IntRange(1, 5).Draw(rt, "links") {
		name := s.path(names.Draw(rt, "name"))
		to := strings.ReplaceAll(way(rt), "ROOT", s.dir)
		var err error
		if rapid.IntRange(0, 4).Draw(rt, "kind") == 0 {
			err = os.Link(s.path(rapid.SampledFrom([]string{"out/b", "out/a/c", "work/b"}).Draw(rt, "twin")), name)
		} else {
			err = os.Symlink(cmp.Or(to, "."), name)
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			rt.Fatal(err)
		}
	}
}

// outside lists what is outside of the workspace, with contents and the links as they are.
func (s *served) outside(rt *rapid.T) string {
	var out strings.Builder
	err := filepath.WalkDir(s.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == s.path("work") {
			return filepath.SkipDir
		}
		out.WriteString(strings.TrimPrefix(path, s.dir) + " ")
		if entry.Type().IsRegular() {
			text, err := os.ReadFile(path)
			out.Write(text)
			return err
		}
		return nil
	})
	if err != nil {
		rt.Fatal(err)
	}
	return out.String()
}

// carryOut does what was allowed, as a tool that makes missing directories, and gives the real path.
func carryOut(cwd, path, access string) (string, error) {
	if !filepath.IsAbs(path) {
		path = cwd + "/" + path // not cleaned: the kernel follows links before it goes up
	}
	if access == "read" {
		if _, err := os.Stat(path); err != nil {
			return "", err
		}
		return filepath.EvalSymlinks(path)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return "", err
	}
	if _, err := f.WriteString("written"); err != nil {
		return "", errors.Join(err, f.Close())
	}
	if err := f.Close(); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// within reports whether a real path is a directory, or something in it.
func within(dir, path string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }
