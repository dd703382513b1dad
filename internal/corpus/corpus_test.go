package corpus_test

import (
	"bytes"
	"os"
	"path/filepath"
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

func TestEveryCaseIsAsWanted(t *testing.T) {
	for name, cases := range load(t) {
		t.Run(name, func(t *testing.T) {
			var report corpus.Report
			for i := range cases {
				t.Run(cases[i].ID, func(t *testing.T) {
					result, err := corpus.RunCase(t.Context(), &cases[i])
					if err != nil {
						t.Fatal(err)
					}
					report.Results = append(report.Results, result)
					if result.Status == corpus.Failed {
						t.Error(result.Why)
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
