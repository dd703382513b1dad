package claudesettings

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"pgregory.net/rapid"
)

// ignoredByGit says of each path whether git, with pattern in the .gitignore at
// the top, would ignore it.
func ignoredByGit(t rapid.TB, repo, pattern string, paths []string) map[string]bool {
	if err := os.WriteFile(filepath.Join(repo, ".gitignore"), []byte(pattern+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "-C", repo, "check-ignore", "--no-index", "--stdin", "-z")
	cmd.Env = []string{"HOME=" + repo, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
	cmd.Stdin = strings.NewReader(strings.Join(paths, "\x00") + "\x00")
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() != 1) { //nolint:errorlint // exec returns it bare
		t.Fatal(err) // 1 says that none is ignored
	}
	ignored := map[string]bool{}
	for path := range strings.SplitSeq(string(out), "\x00") {
		ignored[path] = true
	}
	return ignored
}

// The patterns of Read and Edit are those of git. What git matches is covered,
// and nothing else is but the directory itself that a pattern is about, and
// files where a pattern that ends in a slash means directories.
func TestPatternsCoverWhatGitMatches(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here to ask")
	}
	repo := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", repo).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	part := rapid.SampledFrom([]string{"a", "b", ".env", "a.b", "*", "**", "*.b", "?", "[ab]", "a*", "{a}"})
	name := rapid.SampledFrom([]string{"a", "b", ".env", "a.b", "c.b", "{a}", "ab"})
	rapid.Check(t, func(t *rapid.T) {
		pattern := strings.Join(rapid.SliceOfN(part, 1, 3).Draw(t, "parts"), "/")
		pattern = rapid.SampledFrom([]string{"", "/"}).Draw(t, "head") + pattern + rapid.SampledFrom([]string{"", "/"}).Draw(t, "tail")
		var paths []string
		for range 12 {
			paths = append(paths, strings.Join(rapid.SliceOfN(name, 1, 4).Draw(t, "path"), "/"))
		}
		matched := ignoredByGit(t, repo, pattern, paths)
		glob, anyDepth, why := ignored(pattern)
		if why != "" {
			t.Fatalf("%q is refused: %s", pattern, why)
		}
		globs := []string{glob}
		if anyDepth {
			globs = append(globs, "*/**/"+glob)
		}
		for _, path := range paths {
			covered, itself := false, false
			for _, g := range globs {
				// d/** covers d too (policy.md "File"), as doublestar has it for most d. Git
				// does not where the pattern is about what is in d.
				itself = itself || doublestar.MatchUnvalidated(strings.TrimSuffix(g, "/**"), path)
				covered = covered || itself || doublestar.MatchUnvalidated(g, path)
			}
			if matched[path] && !covered || covered && !matched[path] && !itself && !strings.HasSuffix(pattern, "/") {
				t.Fatalf("pattern %q and path %q: git says %v, %q says %v", pattern, path, matched[path], globs, covered)
			}
		}
	})
}
