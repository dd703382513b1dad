package conform_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/approvald/approvald/schema"
	"github.com/approvald/approvald/tests/conform"
	"github.com/approvald/approvald/wire"
)

// recorded calls fn for every frame of a recording.
func recorded(t *testing.T, file string, fn func(conn, dir string, raw []byte)) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var l struct{ Dir, Conn, Raw string }
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}
		if l.Dir == "client" || l.Dir == "server" {
			fn(l.Conn, l.Dir, []byte(l.Raw))
		}
	}
}

func recordings(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../testdata/scenarios/*.ndjson")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios found: %v", err)
	}
	return files
}

// Every frame of every recording: what the daemon said is of the schema, and so is what it took.
func TestEveryRecordedFrameIsOfTheSchema(t *testing.T) {
	for _, file := range recordings(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			peers := map[string]*conform.Peer{}
			heard := 0
			recorded(t, file, func(conn, dir string, raw []byte) {
				if peers[conn] == nil {
					peers[conn] = &conform.Peer{Fair: true}
				}
				if dir == "client" {
					peers[conn].Sent(raw)
					return
				}
				heard++
				if err := peers[conn].Heard(raw); err != nil {
					t.Error(err)
				}
			})
			if heard == 0 {
				t.Error("the daemon said nothing")
			}
		})
	}
}

// The OpenRPC document says of each method which errors it may be answered with.
func TestEveryRecordedRefusalIsForetold(t *testing.T) {
	var doc struct {
		Methods []struct {
			Name   string
			Errors []struct {
				Ref string `json:"$ref"`
			}
		}
	}
	if err := json.Unmarshal([]byte(schema.OpenRPC), &doc); err != nil {
		t.Fatal(err)
	}
	foretold := map[string]bool{} // method and error
	for _, m := range doc.Methods {
		for _, e := range m.Errors {
			foretold[m.Name+" "+strings.TrimPrefix(e.Ref, "#/components/errors/")] = true
		}
	}
	refusals := map[string]bool{}
	for _, file := range recordings(t) {
		methods := map[string]string{}
		recorded(t, file, func(conn, dir string, raw []byte) {
			var m struct {
				ID     json.RawMessage
				Method string
				Error  *wire.Error
			}
			if json.Unmarshal(raw, &m) != nil {
				return // a hostile client
			}
			if dir == "client" {
				methods[conn+string(m.ID)] = m.Method
			}
			method, _ := wire.LookupMethod(methods[conn+string(m.ID)])
			if dir == "client" || m.Error == nil || method.Kind != wire.CommandMethod && method.Kind != wire.QueryMethod {
				return
			}
			spec, _ := wire.LookupError(m.Error.Code)
			refusal := method.Name + " " + spec.Name
			refusals[refusal] = true
			if !foretold[refusal] {
				t.Errorf("%s: %s is not among the errors of the method", filepath.Base(file), refusal)
			}
		})
	}
	if len(refusals) < 50 {
		t.Errorf("only %d refusals are recorded", len(refusals))
	}
}
