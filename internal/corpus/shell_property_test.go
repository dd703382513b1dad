package corpus_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// plain are programs that do nothing. What is covered by no rule leaves a mark instead.
var plain = []string{"aa", "bb", "cc", "dd"}

// launchers are real programs that start others. What one starts is decided on its own, so that a
// rule for the program covers it under them as well (policy.md "Shell"); they leave no marks.
var launchers = []string{"env", "nice", "xargs", "timeout", "nohup", "setsid", "stdbuf"}

// shells are real programs that run text.
var shells = []string{"sh", "bash"}

// builtins are those of bash that do something with their words.
var builtins = []string{
	"echo", "printf", "read", "eval", "exec", "command", "builtin", "source", ".", "trap", "alias", "let", "test", "[", "cd", "true", ":",
	"unset", "set", "hash", "type", "export", "declare", "local", "readonly", "shift", "wait", "mapfile", "getopts", "pushd", "time", "coproc",
}

// TestNoTextRunsWhatNoRuleCovers holds approvald against bash itself: whatever is allowed under rules
// for some programs is run where every other program leaves a mark, and so does every file.
func TestNoTextRunsWhatNoRuleCovers(t *testing.T) {
	t.Parallel()
	ground := newGround(t)
	rounds(t, func() {
		rapid.Check(t, func(rt *rapid.T) {
			known := slices.Concat(plain, launchers, shells, builtins)
			covered := subset(rt, known, 80)
			var policy strings.Builder
			for _, name := range covered {
				fmt.Fprintf(&policy, "[[rule]]\neffect = \"allow\"\nkind = \"shell\"\nargv_prefix = [%q]\n", name)
			}
			ground.obey(rt, policy.String())
			ground.install(rt, func(name string) bool { return !slices.Contains(covered, name) && !slices.Contains(launchers, name) })
			for range tries() {
				text := script(rt)
				if !ground.allows(t, rt, ground.subject(text)) {
					continue
				}
				if mark := ground.run(rt, text, true); mark != "" {
					rt.Fatalf("allowed under rules for %v, and %s:\n%s", covered, mark, text)
				}
			}
		})
	})
	t.Logf("%d texts were run, of %d", ground.ran, ground.calls)
}

// TestNoTextRunsWhatADenyRuleNames is the other side: under a rule for everything and deny rules for
// some programs nothing that is allowed runs one of those.
func TestNoTextRunsWhatADenyRuleNames(t *testing.T) {
	t.Parallel()
	ground := newGround(t)
	rounds(t, func() {
		rapid.Check(t, func(rt *rapid.T) {
			denied := subset(rt, plain, 50)
			policy := "[[rule]]\neffect = \"allow\"\nkind = \"shell\"\nargv_prefix = []\n"
			for _, name := range denied {
				policy += fmt.Sprintf("[[rule]]\neffect = \"deny\"\nkind = \"shell\"\nargv_prefix = [%q]\n", name)
			}
			ground.obey(rt, policy)
			ground.install(rt, func(name string) bool { return slices.Contains(denied, name) })
			for range tries() {
				text := script(rt)
				if !ground.allows(t, rt, ground.subject(text)) {
					continue
				}
				if mark := ground.run(rt, text, true); mark != "" {
					rt.Fatalf("allowed beside deny rules for %v, and %s:\n%s", denied, mark, text)
				}
			}
		})
	})
	t.Logf("%d texts were run, of %d", ground.ran, ground.calls)
}

// The ground sees what runs: it is held against texts whose effect is known.
func TestTheGroundSeesWhatRuns(t *testing.T) {
	ground := newGround(t)
	ground.install(t, func(name string) bool { return name == "bb" || name == "cc" })
	for text, want := range map[string]string{
		"aa":                 "",
		"bb":                 "[bb] ran",
		"aa; bb & cc":        "[bb cc] ran",
		"eval b''b":          "[bb] ran",
		"env nice bb":        "[bb] ran",
		"(aa; aa; aa; bb) &": "[bb] ran",
		"aa > out":           `["out"] was made`,
		"exit 1":             "",
		"'":                  "",
	} {
		if got := ground.run(t, text, true); got != want {
			t.Errorf("of %q is seen %q, want %q", text, got, want)
		}
	}
}

// subset draws names, each with a probability of percent.
func subset(rt *rapid.T, names []string, percent int) []string {
	var out []string
	for _, name := range names {
		if rapid.IntRange(0, 99).Draw(rt, name) < percent {
			out = append(out, name)
		}
	}
	return out
}

// ground is where texts are run.
type ground struct {
	*served
	bash string
	ran  int
}

func newGround(t *testing.T) *ground {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	return &ground{served: serve(t), bash: bash}
}

func (g *ground) subject(text string) map[string]any {
	return map[string]any{"kind": "shell", "command": text, "cwd": g.path("work"), "path": g.path("bin")}
}

// install writes the programs: those that mark leave their name in marks, and do nothing else.
func (g *ground) install(rt failing, marks func(name string) bool) {
	for _, name := range slices.Concat(plain, launchers, shells) {
		body := "exit 0"
		if marks(name) {
			body = ": > '" + g.path("marks") + "/" + name + "'"
		} else if path, err := exec.LookPath(name); err == nil && !slices.Contains(plain, name) {
			body = "exec " + path + ` "$@"`
		}
		if err := os.WriteFile(filepath.Join(g.path("bin"), name), []byte("#!"+g.bash+"\n"+body+"\n"), 0o755); err != nil {
			rt.Fatal(err)
		}
	}
}

// patience bounds one text: what loops for ever has shown by then what it runs.
const patience = 2 * time.Second

// run runs a text with bash and says what it did that was not covered: a program that leaves marks,
// or, where files count, a file that is new.
func (g *ground) run(rt failing, text string, files bool) string {
	g.ran++
	for _, name := range []string{"work", "marks"} {
		if err := errors.Join(os.RemoveAll(g.path(name)), os.Mkdir(g.path(name), 0o755)); err != nil {
			rt.Fatal(err)
		}
	}
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	cmd := exec.CommandContext(ctx, g.bash, "--norc", "--noprofile", "-c", text)
	cmd.Dir = g.path("work")
	cmd.Env = []string{"PATH=" + g.path("bin"), "HOME=" + g.path("home"), "LC_ALL=C.UTF-8"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = patience
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out // so that what runs in the background is waited for
	_ = cmd.Run()                       // a text may fail
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if marks := names(g.path("marks")); len(marks) > 0 {
		return fmt.Sprintf("%v ran", marks)
	}
	if made := names(g.path("work")); files && len(made) > 0 {
		return fmt.Sprintf("%q was made", made)
	}
	return ""
}

// names lists a directory.
func names(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return []string{err.Error()}
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}
