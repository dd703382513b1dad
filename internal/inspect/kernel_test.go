package inspect

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
)

// On the real file system, with random links, Target.Path is the file that the kernel has open
// afterwards: the one that it opens, and the one that it makes where there was none.
func TestTargetIsWhatTheKernelOpens(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells the path of an open file in /proc")
	}
	temp, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	opened := map[approval.TargetType]int{}
	escaped := 0
	rapid.Check(t, func(t *rapid.T) {
		root, err := os.MkdirTemp(temp, "") //nolint:usetesting // one for each draw of the one test
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(root) }() // the test's own directory goes in any case
		// A way out of a, so that one is met in every run.
		if err := errors.Join(os.Mkdir(root+"/a", 0o700), os.Mkdir(root+"/b", 0o700), os.Symlink("../b", root+"/a/b")); err != nil {
			t.Fatal(err)
		}
		drawTree(t, root)
		paths := rapid.SliceOfN(drawPath(), 10, 10).Draw(t, "paths")
		for _, text := range append(paths, "a/b/new", "a/b/../new") {
			got := Host().Target(Spelled{Access: approval.Write, Text: text}, root)
			opens, exists, err := openOrMake(root + "/" + text)
			if err != nil {
				continue // the kernel makes no directories, follows no path through a file, and so on
			}
			opened[got.Type]++
			if got.Path != opens || exists != (got.Type != approval.TargetAbsent) {
				t.Fatalf("Target(%q) = %+v, and the kernel opened %q, which existed: %v", text, got, opens, exists)
			}
			// What begins in a and leads out of it is seen to be outside, whatever ".." and links do.
			workspace := root + "/a"
			if Contains(workspace, got.Written) && !Contains(workspace, opens) {
				escaped++
				if Contains(workspace, got.Path) {
					t.Fatalf("Target(%q) = %+v is inside %q, and %q is not", text, got, workspace, opens)
				}
			}
		}
	})
	for _, kind := range []approval.TargetType{approval.TargetAbsent, approval.TargetRegular, approval.TargetDirectory} {
		if opened[kind] == 0 {
			t.Errorf("no target that is %s was opened, so nothing was compared", kind)
		}
	}
	if escaped == 0 {
		t.Error("no path led out of the workspace, so nothing was compared")
	}
}

// openOrMake opens a path, or makes a file there, and asks the kernel which it is.
func openOrMake(name string) (opens string, exists bool, err error) {
	file, err := os.Open(name)
	if exists = err == nil; !exists {
		if file, err = os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
			return "", false, err
		}
	}
	defer file.Close()
	opens, err = os.Readlink(fmt.Sprintf("/proc/self/fd/%d", file.Fd()))
	return opens, exists, err
}
