package client_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

var guideFence = regexp.MustCompile("(?ms)^```(\\S+)\n(.*?)^```$")

// The Go that the guides show stands in the examples, which are run, and the JSON
// in the recordings, which are played.
func TestWhatTheGuidesShowIsRun(t *testing.T) {
	examples, recorded := exampleLines(t), recordedObjects(t)
	for guide, least := range map[string]map[string]int{
		"AGENTS.md":    {"go": 6, "json": 5},
		"REVIEWERS.md": {"go": 1, "json": 3},
	} {
		t.Run(guide, func(t *testing.T) {
			text, err := os.ReadFile("../docs/" + guide)
			if err != nil {
				t.Fatal(err)
			}
			shown := map[string]int{}
			for _, f := range guideFence.FindAllStringSubmatch(string(text), -1) {
				shown[f[1]]++
				checkShown(t, f[1], f[2], examples, recorded)
			}
			for info, n := range least {
				if shown[info] < n {
					t.Errorf("the guide shows %v", shown)
				}
			}
		})
	}
}

func checkShown(t *testing.T, info, text, examples string, recorded func(any) bool) {
	t.Helper()
	switch info {
	case "go":
		if !strings.Contains(examples, flat(text)) {
			t.Errorf("no example has these lines:\n%s", text)
		}
	case "json":
		var want any
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
		if !recorded(want) {
			t.Errorf("no recording has this:\n%s", text)
		}
	default:
		t.Errorf("nobody checks a block of %s", info)
	}
}

// exampleLines are the lines of the examples, without their indentation.
func exampleLines(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("example*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(flat(string(text)))
	}
	return all.String()
}

// flat is a text with no line indented.
func flat(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(strings.TrimLeft(line, "\t"))
	}
	return out.String()
}

// recordedObjects reports whether an object is the params, the result or the error
// of a recorded frame.
func recordedObjects(t *testing.T) func(any) bool {
	t.Helper()
	files, err := filepath.Glob("../testdata/scenarios/*.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	var all []any
	for _, file := range files {
		recording, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(recording)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			var line struct {
				Raw string `json:"raw"`
			}
			var frame struct {
				Params any `json:"params"`
				Result any `json:"result"`
				Error  any `json:"error"`
			}
			if json.Unmarshal(lines.Bytes(), &line) != nil || json.Unmarshal([]byte(line.Raw), &frame) != nil {
				continue // no frame, or one that is bad on purpose
			}
			all = append(all, frame.Params, frame.Result, frame.Error)
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
		closed(t, recording)
	}
	return func(want any) bool {
		for _, have := range all {
			if reflect.DeepEqual(want, have) {
				return true
			}
		}
		return false
	}
}
