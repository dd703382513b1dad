package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	recordedScenario = "../../testdata/scenarios/two-stage.ndjson"
	recordedTitle    = ": A command of two parts is decided part by part: the first answer leaves it pending and asks for the second.\n"
)

// replay runs the command and returns what it prints and its exit code.
func replay(t *testing.T, args ...string) (string, int) {
	t.Helper()
	var out bytes.Buffer
	cmd := newReplayCommand()
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.ExecuteContext(t.Context())
	if err == nil {
		return out.String(), exitOK
	}
	settled, ok := errors.AsType[*exitError](err)
	if !ok {
		t.Fatal(err)
	}
	return out.String(), settled.code
}

// changed is a copy of a scenario in which one server line was edited.
func changed(t *testing.T) (path string, original []byte) {
	t.Helper()
	original, err := os.ReadFile(recordedScenario)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "changed.ndjson")
	text := bytes.Replace(original, []byte(`\"terminal\":false`), []byte(`\"terminal\":true`), 1)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, original
}

func TestReplayPrintsWhatEachScenarioProvesThatIsAnsweredAsRecorded(t *testing.T) {
	out, code := replay(t, recordedScenario, recordedScenario)
	want := strings.Repeat("ok      "+recordedScenario+recordedTitle, 2)
	if out != want || code != exitOK {
		t.Errorf("exit code %d, and\n%s", code, out)
	}
}

func TestReplayPrintsTheFirstLineThatDiffersAndGoesOn(t *testing.T) {
	path, _ := changed(t)
	out, code := replay(t, path, recordedScenario)
	if code != exitFailure || !strings.HasPrefix(out, path+":") || !strings.HasSuffix(out, "ok      "+recordedScenario+recordedTitle) {
		t.Errorf("exit code %d, and\n%s", code, out)
	}
}

func TestReplayUpdateRewritesWhatDiffersAndNothingElse(t *testing.T) {
	path, original := changed(t)
	for _, want := range []string{"updated ", "ok      "} {
		out, code := replay(t, "--update", path)
		if out != want+path+recordedTitle || code != exitOK {
			t.Errorf("exit code %d, and\n%s", code, out)
		}
	}
	if text, err := os.ReadFile(path); err != nil || !bytes.Equal(text, original) {
		t.Errorf("the file is not what was recorded, %v:\n%s", err, text)
	}
}

func TestReplayUpdateLeavesAFileThatItCannotPlay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "broken.ndjson")
	if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, code := replay(t, "--update", path)
	if code != exitFailure || !strings.HasPrefix(out, path+":1: ") {
		t.Errorf("exit code %d, and\n%s", code, out)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "{}\n" {
		t.Errorf("the file is now %q, %v", text, err)
	}
}
