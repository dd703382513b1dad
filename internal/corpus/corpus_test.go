package corpus_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/approvald/approvald/internal/corpus"
)

// load reads every corpus of the repository.
func load(t testing.TB) map[string][]corpus.Case {
	t.Helper()
	names, err := filepath.Glob("../../testdata/corpus/*.jsonl")
	if err != nil || len(names) == 0 {
		t.Fatalf("there is no corpus: %v", err)
	}
	out := make(map[string][]corpus.Case)
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		cases, err := corpus.Read(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[filepath.Base(name)] = cases
	}
	return out
}

// unread are the phrases that are not compared. All are outcomes, which say in a few words what the
// steps and the end of their case say by what they bring.
var unread = []string{
	"R2,R3 pending but auto-resolved on next evaluation",
	"allow-with-exclusion",
	"allowed by the new rule",
	"both accepted, one decision",
	"both answerable",
	"both pending",
	"cancelled",
	"cancelled, not denied",
	"cancelled, resolved event sent",
	"delivered",
	"denied by the new rule",
	"executes the captured snapshot",
	"no fragment rules",
	"no rule from body text",
	"not pending, decision in the log",
	"one grant",
	"only R1 resolved",
	"pending after reconnect",
	"pending after the crash",
	"pending until a client appears",
	"re-evaluated and recorded, or still pending",
	"second answer conflicts",
	"siblings resolved by the new grant",
	"two distinct pending requests",
	"typed error, session lives",
}

func TestEveryCaseIsAsWanted(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "approvald")
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", program, "github.com/approvald/approvald/cmd/approvald")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, cases := range load(t) {
		t.Run(name, func(t *testing.T) {
			var report corpus.Report
			for i := range cases {
				t.Run(cases[i].ID, func(t *testing.T) {
					result, err := corpus.RunCase(t.Context(), &cases[i], program)
					if err != nil {
						t.Fatal(err)
					}
					report.Results = append(report.Results, result)
					if result.Status == corpus.Failed {
						t.Error(result.Why)
					}
					if result.Status == corpus.NotRun {
						t.Errorf("it was not run: it needs %s", result.Why)
					}
					for _, phrase := range result.Unread {
						if !slices.Contains(unread, phrase) {
							t.Errorf("nobody reads the phrase %q", phrase)
						}
					}
				})
			}
			var text strings.Builder
			if err := report.Write(&text); err != nil {
				t.Error(err)
			}
			t.Log("\n" + text.String())
		})
	}
}
