package shell

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// realShell runs texts in a shell of this machine and observes the argv of what they run.
type realShell struct {
	path string // of the shell
	cwd  string // empty; a text that changes it has done more than run a command
	seen string // where the reports go
}

// cwd is where the commands of these tests start.
const cwd = "/srv/app"

func findShell(t *testing.T, name string) realShell {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed, so nothing can be compared with it", name)
	}
	return realShell{path: path, cwd: t.TempDir(), seen: filepath.Join(t.TempDir(), "seen")}
}

// run runs command and returns one argv for each call of `report`, in source order. There is
// no PATH: prelude defines functions that stand for programs and call `report NAME "$@"`.
func (sh realShell) run(t fataler, prelude, command string) [][]string {
	seen, err := os.OpenFile(sh.seen, os.O_CREATE|os.O_TRUNC|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatalf("open the report: %v", err)
	}
	defer seen.Close()
	// A member of a pipeline reports when the one before it has ended, so that reports never mix.
	const report = `report() { while read -r _; do :; done; printf '%s\0' $# "$@" >&3; }`
	cmd := exec.Command(sh.path, "-c", report+"\n"+prelude+"\n"+command)
	cmd.Dir, cmd.ExtraFiles = sh.cwd, []*os.File{seen}
	cmd.Env = []string{"PATH=/nonexistent", "LC_ALL=C.UTF-8"}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatalf("start %s: %v", sh.path, err)
	}
	if entries, err := os.ReadDir(sh.cwd); err != nil || len(entries) > 0 {
		t.Fatalf("%q left files behind: %v %v", command, entries, err)
	}
	data, err := os.ReadFile(sh.seen)
	if err != nil {
		t.Fatalf("read the report: %v", err)
	}
	var calls [][]string
	for fields := strings.Split(string(data), "\x00"); len(fields) > 1; {
		n, err := strconv.Atoi(fields[0])
		if err != nil || n > len(fields)-2 {
			t.Fatalf("the report of %q is garbled: %q (stderr %s)", command, data, &stderr)
		}
		calls = append(calls, fields[1:1+n])
		fields = fields[1+n:]
	}
	return calls
}

// fataler is what *testing.T and *rapid.T have in common here.
type fataler interface{ Fatalf(string, ...any) }
