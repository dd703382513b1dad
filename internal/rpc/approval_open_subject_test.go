package rpc

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/inspect"
	"github.com/approvald/approvald/wire"
)

// Hostile text takes time to parse: it is that of the connection which sent it
// and not of the writer, which all connections share.
func TestACommandIsSplitBeforeTheWriterSeesIt(t *testing.T) {
	got, e := inspectShell(inspect.Host(), &wire.OpenShell{Kind: wire.SubjectShell, Command: "make a && make b", Cwd: "/"}, "")
	if e != nil {
		t.Fatal(e)
	}
	if command, _ := got.subject.(approval.Shell); len(command.Stages) != 2 {
		t.Errorf("the stages are %+v, want one for each command", command.Stages)
	}
}

// Where .. stands behind a link, programs differ in what they open: nobody can approve
// of one of the two.
func TestAPathThatLeadsToTwoPlacesIsRefused(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"project/a/b", "secrets"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	project := filepath.Join(dir, "project")
	if err := os.Symlink("a/b", filepath.Join(project, "link")); err != nil {
		t.Fatal(err)
	}
	for path, refused := range map[string]bool{
		"link/../../secrets/key": true, // by name dir/secrets/key, behind the link project/secrets/key
		"link/../x":              true,
		"a/../link/x":            false,
		"a/b/../../x":            false,
		"../secrets/key":         false,
		"link/x..y":              false,
	} {
		for _, access := range []wire.Access{wire.AccessRead, wire.AccessWrite} {
			_, e := inspectFile(inspect.Host(), &wire.OpenFile{Kind: wire.SubjectFile, Path: path, Access: access, Cwd: project}, "Read", project)
			if (e != nil) != refused {
				t.Errorf("%s %s: %v, refused must be %t", access, path, e, refused)
			}
		}
	}
}
