package scenario_test

import (
	"strings"
	"testing"

	"github.com/approvald/approvald/internal/scenario"
)

// denies is a policy that denies what open opens.
const denies = `[[rule]]\neffect = \"deny\"\nkind = \"file\"\naccess = \"write\"\npath_glob = \"**\"\n`

// header is plainHeader with more members.
func header(more string) string { return strings.TrimSuffix(plainHeader, "}") + more + "}" }

func world(t *testing.T, more string) *scenario.World {
	t.Helper()
	w, err := scenario.NewWorld([]byte(header(more)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// step carries out lines and returns what main hears.
func step(t *testing.T, w *scenario.World, lines ...string) string {
	t.Helper()
	var all [][]byte
	for _, line := range lines {
		all = append(all, []byte(line))
	}
	heard, err := w.Step(t.Context(), all...)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, h := range heard {
		if h.Conn == "main" {
			out = append(out, h.Lines...)
		}
	}
	return strings.Join(out, "\n")
}

func TestAWorldIsToldOneLineAfterTheOther(t *testing.T) {
	w := world(t, "")
	step(t, w, hello("main", "")...)
	step(t, w, client("main", "", start))
	if heard := step(t, w, client("main", "", open)); !strings.Contains(heard, `"state":"pending"`) {
		t.Error(heard)
	}
	again := strings.NewReplacer("c002", "c003", `"id":"open"`, `"id":"again"`)
	if heard := step(t, w, client("main", "", list), client("main", "", again.Replace(open))); strings.Count(heard, `"result"`) != 2 {
		t.Errorf("two lines at once bring %s", heard)
	}
	if _, err := w.Step(t.Context(), []byte(`{"dir":"control","op":"pause"}`)); err == nil || !strings.Contains(err.Error(), `there is no op "pause"`) {
		t.Errorf("a line that is none: %v", err)
	}
}

func TestAPolicyComesWithTheHeaderAndChanges(t *testing.T) {
	w := world(t, `,"serve":{"policy":"`+denies+`"}`)
	step(t, w, append(hello("main", ""), client("main", "", start))...)
	if heard := step(t, w, client("main", "", open)); !strings.Contains(heard, `"outcome":"rejected"`) {
		t.Errorf("under a rule that denies: %s", heard)
	}
	again := strings.NewReplacer("c002", "c003", `"id":"open"`, `"id":"again"`).Replace(open)
	step(t, w, `{"dir":"control","op":"policy","text":""}`)
	if err := w.Refused(); err != nil {
		t.Errorf("no rule at all is refused: %v", err)
	}
	if heard := step(t, w, client("main", "", again)); !strings.Contains(heard, `"state":"pending"`) {
		t.Errorf("under no rule: %s", heard)
	}
	if heard := step(t, w, `{"dir":"control","op":"policy","text":"rules = 1"}`); !strings.Contains(heard, "policy.toml:1") {
		t.Errorf("a text that cannot be read is told as %s", heard)
	}
	if err := w.Refused(); err == nil {
		t.Error("a text that cannot be read was taken up")
	}
	step(t, w, `{"dir":"control","op":"policy","text":"`+denies+`"}`, `{"dir":"control","op":"restart"}`)
	if w.Refused() != nil {
		t.Error("the refusal outlives the text")
	}
	last := strings.NewReplacer("c002", "c004", `"id":"open"`, `"id":"last"`).Replace(open)
	if heard := step(t, w, append(hello("main", ""), client("main", "", last))...); !strings.Contains(heard, `"outcome":"rejected"`) {
		t.Errorf("after a restart: %s", heard)
	}
}

func TestADaemonDoesNotStartOnAPolicyThatCannotBeRead(t *testing.T) {
	if _, err := scenario.NewWorld([]byte(header(`,"serve":{"policy":"rules = 1"}`))); err == nil || !strings.Contains(err.Error(), "policy.toml:1") {
		t.Errorf("NewWorld = %v", err)
	}
}
