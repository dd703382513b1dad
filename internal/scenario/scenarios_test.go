package scenario_test

import (
	"path/filepath"
	"testing"

	"github.com/approvald/approvald/internal/scenario"
)

// The recorded scenarios are the specification of what a peer sees. To change one:
// go run ./cmd/approvald replay --update FILE, and read every line that changed.
func TestEveryScenarioIsAnsweredByteForByte(t *testing.T) {
	files, err := filepath.Glob("../../testdata/scenarios/*.ndjson")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios found: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			s, err := scenario.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Play(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
}
