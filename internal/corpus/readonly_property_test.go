package corpus_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// readers are programs that a rule may name as read-only, each with words that make it do more.
var readers = map[string][]string{
	"cat":  {"-n", "-A"},
	"cmp":  {"-s", "-l"},
	"comm": {"-12", "--output-delimiter=MARK"},
	"cut":  {"-d:", "-f1", "--output-delimiter=MARK"},
	"diff": {"-u", "-r", "--to-file=MARK", "--from-file=a"},
	"find": {
		"-name", "-type", "f", "-print", "-delete", "-exec", "-execdir", "-ok", "touch", "rm", "{}", ";", "+", "-fprint", "-fprint0", "-fprintf", "-fls",
		"-o", "-maxdepth", "0", "!", "(", ")", "-quit", "-prune",
	},
	"fold": {"-w1"},
	"git": {
		"status", "log", "diff", "show", "branch", "tag", "remote", "config", "stash", "reflog", "worktree", "grep", "blame", "ls-files", "rev-parse", "cat-file",
		"describe", "shortlog", "for-each-ref", "diff-tree", "rev-list", "merge-base", "archive", "notes", "replace", "symbolic-ref", "update-ref", "checkout",
		"reset", "apply", "format-patch", "bundle", "hash-object", "-d", "-D", "-m", "-M", "-c", "-C", "-f", "-a", "-l", "-o", "-O", "-S", "-G", "-p", "-u", "-w", "-v", "--list", "--get",
		"--add", "--unset", "--output", "--output=MARK", "-oMARK", "--ext-diff", "--no-index", "HEAD", "main", "topic", "user.name", "x.y", "core.pager=touch MARK",
		"core.fsmonitor=touch MARK", "alias.x=!touch MARK", "x", "create", "prune", "expire", "--all", "--expire=now", "show", "list", "pop", "drop", "clear", "push", "set-url", "--stdin",
		"--textconv", "--", "-OMARK", "-Otouch", "--outp=MARK", "--outpu", "--ext-d", "--op=touch MARK", "--open=touch MARK", "--textc", "--rem", "--open-files-in-pager=touch MARK", "--edit-description", "--set-upstream-to=main", "--contains", "--merged",
	},
	"grep": {"-r", "-n", "-f", "-e", "--color=always"},
	"head": {"-n1", "-c", "1"},
	"join": {"-t:"},
	"ls":   {"-l", "-R", "--color"},
	"od":   {"-c"},
	"sed": {
		"-n", "-i", "-i.bak", "-e", "-f", "-E", "-s", "-z", "p", "1p", "$p", "w MARK", "1w MARK", "s/a/b/", "s/a/b/w MARK", "s/a/b/e", "1e touch MARK", "e", "e touch MARK", "W MARK", "r b", "R b",
		"--in-place", "--expression=w MARK", "--expression", "y/a/b/", "a text", "{p;w MARK\n}", "--posix", "--sandbox", "--in-p", "--expr=w MARK", "-ni", "-ni.bak", "-ne", "-En", "-sn", "--nul", "-lw MARK", "1!w MARK", "/a/{w MARK\n}", "p;w MARK", "p\nw MARK", "s/a/b/;s/c/d/w MARK",
	},
	"sort": {"-o", "-oMARK", "--output=MARK", "--output", "-r", "-u", "-n", "--compress-program=touch", "-T", "sub", "-S1b", "-c", "-m", "-ro", "-uoMARK", "--outp=MARK", "--o", "--comp=touch"},
	"stat": {"-c", "%n"},
	"tail": {"-n1", "-c", "1"},
	"tr":   {"a", "b"},
	"uniq": {"-c", "-d", "MARK"},
	"wc":   {"-l"},
	"xxd":  {"-r", "-p", "MARK"},
}

// versatile are those of them that can do the most, and so are tried the most.
var versatile = slices.Repeat([]string{"find", "git", "sed", "sort", "git", "sed", "uniq"}, 3)

// common are words for all of them.
var common = []string{"a", "b", "sub", ".", "MARK", "-", "--", "sub/c"}

// TestNoReadOnlyProgramWrites holds the tables of read-only invocations against the programs
// themselves: what a read-only rule allows is run where nothing may change.
func TestNoReadOnlyProgramWrites(t *testing.T) {
	t.Parallel()
	ground := newGround(t)
	var programs []string
	for name := range readers {
		if _, err := exec.LookPath(name); err == nil {
			programs = append(programs, name)
		}
	}
	slices.Sort(programs)
	ground.obey(t, fmt.Sprintf("[[rule]]\neffect = \"allow\"\nkind = \"shell\"\nclass = \"read-only\"\nprograms = [\"%s\"]\n", strings.Join(programs, `", "`)))
	ground.settle(t)
	before := ground.snapshot(t)
	rounds(t, func() {
		rapid.Check(t, func(rt *rapid.T) {
			for range tries() {
				text := invocation(rt, programs)
				subject := map[string]any{"kind": "shell", "command": text, "cwd": ground.path("work"), "path": systemPath}
				if !ground.allows(t, rt, subject) {
					continue
				}
				ground.try(text)
				if diff := cmp.Diff(before, ground.snapshot(rt)); diff != "" {
					ground.settle(rt) // for what is tried next
					before = ground.snapshot(rt)
					rt.Fatalf("allowed as read-only, and something changed: %s\n%s", text, diff)
				}
			}
		})
	})
	t.Logf("%d invocations were run, of %d", ground.ran, ground.calls)
}

// systemPath is where the real programs are.
const systemPath = "/usr/bin:/bin"

// invocation draws a program with words, quoted.
func invocation(rt *rapid.T, programs []string) string {
	name := rapid.SampledFrom(slices.Concat(programs, versatile)).Draw(rt, "program")
	words := []string{name}
	if name == "git" {
		words = append(words, rapid.SampledFrom(readers["git"][:33]).Draw(rt, "subcommand"))
	}
	for _, word := range rapid.SliceOfN(rapid.SampledFrom(slices.Concat(readers[name], common)), 0, 4).Draw(rt, "words") {
		words = append(words, "'"+strings.ReplaceAll(word, "'", `'\''`)+"'")
	}
	return strings.Join(words, " ")
}

// settle fills the workspace anew: files, and a repository with a commit.
func (g *ground) settle(t failing) {
	t.Helper()
	if err := os.RemoveAll(g.path("work")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a": "a\nb\na\n", "b": "b\n", "sub/c": "c\n"} {
		path := filepath.Join(g.path("work"), name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ran := g.ran
	for _, text := range []string{"git init -q -b main --template=", "git add .", "git -c user.name=x -c user.email=x@example.org commit -q -m one", "git branch topic"} {
		g.try(text)
	}
	g.ran = ran
}

// try runs a text with the programs of the system; it may fail.
func (g *ground) try(text string) {
	g.ran++
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	cmd := exec.CommandContext(ctx, g.bash, "--norc", "--noprofile", "-c", text)
	cmd.Dir = g.path("work")
	cmd.Env = []string{"PATH=" + systemPath, "HOME=" + g.path("home"), "LC_ALL=C.UTF-8", "GIT_CONFIG_NOSYSTEM=1", "GIT_PAGER=cat"}
	cmd.WaitDelay = patience
	_ = cmd.Run()
}

// snapshot is everything in the workspace, by name, but the index of the repository, in which git
// keeps when files were last looked at.
func (g *ground) snapshot(t failing) map[string]string {
	t.Helper()
	out := make(map[string]string)
	err := filepath.WalkDir(g.path("work"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() == "index" {
			return err
		}
		var text []byte
		if entry.Type().IsRegular() {
			text, err = os.ReadFile(path)
		}
		out[strings.TrimPrefix(path, g.path("work"))] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
