package inspect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
)

// On the real file system, with random links, the answer is the one of filepath.EvalSymlinks and of
// the kernel: where they arrive, File arrives at the same file, and where File says that nothing
// exists or that a path is no path, they find nothing.
func TestFileAgreesWithFileSystem(t *testing.T) {
	temp, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	arrived := 0
	rapid.Check(t, func(t *rapid.T) {
		root, err := os.MkdirTemp(temp, "") //nolint:usetesting // one for each draw of the one test
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(root) }() // the test's own directory goes in any case
		drawTree(t, root)
		for _, requested := range rapid.SliceOfN(drawPath(), 20, 20).Draw(t, "paths") {
			full := root + "/" + requested
			got, gotErr := Host().File(requested, root)
			want, wantErr := filepath.EvalSymlinks(full)
			if wantErr == nil {
				arrived++
				if gotErr != nil || got.Path != want || !got.Exists {
					t.Fatalf("File(%q) = %+v, %v, want %q", full, got, gotErr, want)
				}
			}
			kernel, kernelErr := os.Stat(full)
			switch {
			case kernelErr == nil && gotErr != nil:
				t.Fatalf("File(%q): %v, and yet the kernel opens it", full, gotErr)
			case kernelErr == nil && !got.Exists:
				t.Fatalf("File(%q) does not exist, and yet the kernel opens it", full)
			case kernelErr == nil:
				info, err := os.Lstat(got.Path)
				if err != nil || !os.SameFile(kernel, info) || got.Type != typeOf(kernel) {
					t.Fatalf("File(%q) = %+v, which is another file than the kernel's", full, got)
				}
			}
			if gotErr == nil && filepath.Clean(got.Path) != got.Path {
				t.Fatalf("File(%q) = %q, which is not clean", full, got.Path)
			}
		}
	})
	if arrived == 0 {
		t.Error("no path existed, so nothing was compared")
	}
}

func typeOf(info os.FileInfo) approval.TargetType {
	switch {
	case info.IsDir():
		return approval.TargetDirectory
	case info.Mode().IsRegular():
		return approval.TargetRegular
	}
	return approval.TargetSpecial
}

// drawTree makes up to a dozen directories, files and links below root, from few names so that paths
// meet them.
func drawTree(t *rapid.T, root string) {
	for range rapid.IntRange(1, 12).Draw(t, "entries") {
		parent := filepath.Join(root, strings.Join(rapid.SliceOfN(drawName, 0, 2).Draw(t, "parent"), "/"))
		name := filepath.Join(parent, drawName.Draw(t, "name"))
		// What cannot be made, because something is there or its parent is no directory, is left out.
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			_ = os.MkdirAll(name, 0o755)
		case 1:
			if file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL, 0o644); err == nil {
				_ = file.Close() // it is empty
			}
		case 2:
			_ = os.Symlink(root+"/"+drawPath().Draw(t, "target"), name)
		default:
			_ = os.Symlink(drawPath().Draw(t, "target"), name)
		}
	}
}

var drawName = rapid.SampledFrom([]string{"a", "b", "c"})

// drawPath draws a relative path with dots and doubled slashes.
func drawPath() *rapid.Generator[string] {
	name := rapid.SampledFrom([]string{"a", "a", "b", "b", "c", "c", "..", ".", ""})
	return rapid.Custom(func(t *rapid.T) string {
		// A first name that is not empty keeps the path relative.
		return drawName.Draw(t, "first") + "/" + strings.Join(rapid.SliceOfN(name, 0, 5).Draw(t, "rest"), "/")
	})
}
