// Package browser holds the web inbox against a real browser: inbox.test.mjs drives
// Debian's chromium with playwright-core, and axe-core says whether everybody can use
// the pages. tests/browser/install puts there what it needs.
package browser

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// tools is what the tests need beside this repository; a reason why not where it is not
// there.
func tools() (node, chromium, missing string) {
	node, err := exec.LookPath("node")
	if err != nil {
		return "", "", "node is not here"
	}
	if _, err := os.Stat("node_modules/playwright-core"); err != nil {
		return "", "", "playwright-core is not installed"
	}
	for _, name := range []string{cmp.Or(os.Getenv("CHROMIUM"), "chromium"), "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return node, path, ""
		}
	}
	return "", "", "chromium is not here"
}

// TestTheWebInboxInABrowser runs the tests of inbox.test.mjs, each as one of its own.
// APPROVALD_PICTURES names a directory for what the README shows.
func TestTheWebInboxInABrowser(t *testing.T) {
	node, chromium, missing := tools()
	if missing != "" {
		t.Skipf("%s: tests/browser/install puts there what these tests need", missing)
	}
	program := filepath.Join(t.TempDir(), "approvald")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/approvald").CombinedOutput(); err != nil {
		t.Fatalf("build approvald: %v\n%s", err, out)
	}
	run := exec.CommandContext(t.Context(), node, "--test", "--test-reporter=tap", "inbox.test.mjs")
	run.Env = append(os.Environ(), "APPROVALD="+program, "CHROMIUM="+chromium)
	var failures bytes.Buffer
	run.Stderr = &failures
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	tests := report(t, out)
	if err := run.Wait(); err != nil || tests == 0 {
		t.Errorf("%d tests ran in the browser: %v\n%s", tests, err, failures.String())
	}
}

// outcome is the line of a test in the Test Anything Protocol.
var outcome = regexp.MustCompile(`^(not )?ok \d+ - (.*)$`)

// report makes a subtest of each test of the browser's, with what it said where it
// failed, and returns how many there were.
func report(t *testing.T, out interface{ Read([]byte) (int, error) }) (tests int) {
	t.Helper()
	var name string
	var failed bool
	var said strings.Builder
	tell := func() {
		if name == "" {
			return
		}
		tests++
		t.Run(name, func(t *testing.T) {
			if failed {
				t.Error(said.String())
			}
		})
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		found := outcome.FindStringSubmatch(lines.Text())
		if found == nil {
			fmt.Fprintln(&said, lines.Text())
			continue
		}
		tell()
		name, failed = found[2], found[1] != ""
		said.Reset()
	}
	tell()
	if err := lines.Err(); err != nil {
		t.Error(err)
	}
	return tests
}
