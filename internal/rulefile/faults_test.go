package rulefile_test

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/approvald/approvald/internal/rulefile"
)

var update = flag.Bool("update", false, "write the messages that were given into testdata/faults")

// Each archive of testdata/faults holds bad files, NAME.toml, each followed by
// NAME.says: every message that a user sees for it. The layer is the first part
// of the name: managed, user or workspace.
func TestEveryFaultIsSaidWithItsLineAndWhatToWriteInstead(t *testing.T) {
	archives, err := filepath.Glob("testdata/faults/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out := &txtar.Archive{Comment: archive.Comment}
		want := map[string]string{}
		for _, f := range archive.Files {
			want[f.Name] = string(f.Data)
		}
		for _, f := range archive.Files {
			bare, bad := strings.CutSuffix(f.Name, ".toml")
			if !bad {
				continue
			}
			t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar")+"/"+bare, func(t *testing.T) {
				layer, _, _ := strings.Cut(bare, "-")
				_, err := rulefile.LoadText([]rulefile.Source{{Layer: layer, Name: "policy.toml", Text: f.Data}}, rulefile.Options{Home: "/home/ada"})
				says := "it is loaded"
				if err != nil {
					says = err.Error()
				}
				says += "\n"
				out.Files = append(out.Files, f, txtar.File{Name: bare + ".says", Data: []byte(says)})
				if err == nil {
					t.Error("it was loaded")
				}
				if diff := cmp.Diff(want[bare+".says"], says); diff != "" && !*update {
					t.Errorf("messages (-want +got):\n%s", diff)
				}
			})
			delete(want, f.Name)
			delete(want, bare+".says")
		}
		if left := slices.Sorted(maps.Keys(want)); len(left) > 0 {
			t.Errorf("%s: files that belong to nothing: %v", name, left)
		}
		if *update {
			if err := os.WriteFile(name, txtar.Format(out), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}
