// Package typescript runs the tests of the TypeScript client with the rest. They start the real binary.
package typescript

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// pkg is the npm package, as seen from this directory.
const pkg = "../../clients/ts"

// oldest is the major version of node that the package promises to run on.
const oldest = 20

// result is one test, as clients/ts/test/reporter.js tells it.
type result struct {
	Name, File string
	Passed     bool
	Skipped    any // false, true or the reason
	Error      string
}

func TestTypeScriptClient(t *testing.T) {
	node := findNode(t)
	binary := filepath.Join(t.TempDir(), "approvald")
	build := exec.Command("go", "build", "-o", binary, "./cmd/approvald")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(pkg, "test", "*.test.js"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests of the TypeScript client were found: %v", err)
	}
	args := []string{"--test", "--test-reporter=./test/reporter.js"}
	for _, file := range files {
		args = append(args, "test/"+filepath.Base(file))
	}
	// A test that waits for what never comes must not hold up all others.
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // node then says which test it was
	cmd.WaitDelay = 10 * time.Second
	cmd.Dir = pkg
	cmd.Env = append(os.Environ(), "APPROVALD_BINARY="+binary)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	failed := cmd.Run()
	ran := 0
	for line := range bytes.Lines(stdout.Bytes()) {
		var r result
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("node said no result: %s\n%s", line, stderr.Bytes())
		}
		ran++
		t.Run(strings.TrimSuffix(filepath.Base(r.File), ".test.js")+"/"+r.Name, func(t *testing.T) {
			switch {
			case !r.Passed:
				t.Errorf("%s", r.Error)
			case r.Skipped != false:
				t.Skip(r.Skipped)
			}
		})
	}
	if failed != nil || ran == 0 {
		t.Errorf("node ran %d tests and ended with %v:\n%s", ran, failed, stderr.Bytes())
	}
}

// The sources are JavaScript with types in their comments; what is published are declarations made of
// these. Both are checked where the compiler is installed, as .ci/run does with npm ci.
func TestTypesOfTheTypeScriptClientFit(t *testing.T) {
	findNode(t)
	if _, err := os.Stat(filepath.Join(pkg, "node_modules", "typescript")); err != nil {
		t.Skip("the TypeScript compiler is not installed: run npm ci in clients/ts")
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("npm is not here: the types of the TypeScript client are not checked")
	}
	cmd := exec.Command(npm, "run", "--silent", "check")
	cmd.Dir = pkg
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}

// A lock file that names a registry's host would tie whoever installs to it.
func TestTheLockFileNamesNoHost(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(pkg, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte("://")) || bytes.Contains(text, []byte(`"resolved"`)) {
		t.Error("package-lock.json says where packages come from: make it with the .npmrc beside it")
	}
	var manifest struct {
		Dependencies map[string]string
	}
	if text, err = os.ReadFile(filepath.Join(pkg, "package.json")); err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(manifest.Dependencies) > 0 {
		t.Errorf("the package needs %v at run time, and promises to need nothing", manifest.Dependencies)
	}
}

// findNode is the path of a node that is new enough; without one the test is skipped.
func findNode(t *testing.T) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not here: the TypeScript client is not tested")
	}
	version, err := exec.Command(node, "--version").Output()
	if err != nil {
		t.Skipf("node does not say its version (%v): the TypeScript client is not tested", err)
	}
	major, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(string(version)), "v"), ".")
	if n, err := strconv.Atoi(major); err != nil || n < oldest {
		t.Skipf("node is %s and must be %d or newer: the TypeScript client is not tested", bytes.TrimSpace(version), oldest)
	}
	return node
}
