package inspect

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/approvald/approvald/internal/policy/shell"
)

// countFS counts how often it is looked at.
type countFS struct {
	fstest.MapFS
	looks *int
}

func (f countFS) Lstat(name string) (fs.FileInfo, error) {
	*f.looks++
	return f.MapFS.Lstat(name)
}

func (f countFS) ReadLink(name string) (string, error) {
	*f.looks++
	return f.MapFS.ReadLink(name)
}

func (f countFS) Open(name string) (fs.File, error) {
	*f.looks++
	return f.MapFS.Open(name)
}

// Many names in many directories are not all looked up, and a program that is
// found after the bound is not to be trusted.
func TestPartsLookABoundedNumberOfTimes(t *testing.T) {
	var dirs []string
	fsys := fstest.MapFS{}
	for n := range maxPathDirs - 1 {
		dirs = append(dirs, fmt.Sprintf("/bin%d", n))
		fsys[fmt.Sprintf("bin%d", n)] = dir()
	}
	fsys["bin/p"] = &fstest.MapFile{Mode: 0o755}
	stages := make([]shell.Stage, 0, 1000)
	for n := range cap(stages) {
		stages = append(stages, shell.Stage{Argv: []string{fmt.Sprintf("p%d", n)}, Complete: true})
	}
	stages[0].Argv[0] = "p"
	looks := 0
	got := New(countFS{fsys, &looks}).Parts(append(stages, stages[0]), At{Cwd: "/", Path: strings.Join(append(dirs, "/bin"), ":")})
	if looks > maxLooks {
		t.Errorf("%d looks, want at most %d", looks, maxLooks)
	}
	if first := got[0].Program; first.Path != "/bin/p" || first.Untrusted != "" {
		t.Errorf("the first program is %+v, want /bin/p, trusted", first)
	}
	if late := got[len(stages)-2].Program; late.Untrusted == "" {
		t.Errorf("a program after the bound is %+v, want untrusted", late)
	}
	if again := got[len(stages)].Program; again != got[0].Program {
		t.Errorf("the first program is %+v the second time", again)
	}
}
