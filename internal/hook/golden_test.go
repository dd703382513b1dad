package hook

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/approvald/approvald/wire"
)

var update = flag.Bool("update", false, "write what the recorded events come to instead of comparing it")

// around is where the hooks of the tests run.
var around = Surroundings{
	Path: "/usr/bin:/bin", Shell: "/bin/zsh", Nonce: "n1",
	Real: func(dir string) string { return "/real" + dir },
}

// Each file of testdata is an event as Claude Code writes it to a hook (stdin), and what that
// comes to: the request that is put to the daemon, or why there is none, with what the agent is
// told then.
func TestEventsBecomeRequests(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d recorded events, %v", len(files), err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			stdin := archive.Files[0].Data
			want := &txtar.Archive{Comment: archive.Comment, Files: append(archive.Files[:1:1], comesTo(t, stdin)...)}
			if *update {
				if err := os.WriteFile(name, txtar.Format(want), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(txtar.Format(archive)), string(txtar.Format(want))); diff != "" {
				t.Errorf("(-recorded +now):\n%s", diff)
			}
		})
	}
}

func comesTo(t *testing.T, stdin []byte) []txtar.File {
	t.Helper()
	event, err := Parse(stdin, around)
	if err != nil {
		answer := Broken(event.Kind, err.Error()+".")
		return []txtar.File{{Name: "stdout", Data: answer.Stdout}, {Name: "stderr", Data: []byte(answer.Stderr)}}
	}
	session := event.SessionID(0)
	var sent any = event.Start(session, true)
	switch {
	case event.Kind == SessionEnd:
		sent = event.Close(session)
	case event.Call != nil:
		if sent, err = event.Prepare(session, 0); err != nil {
			t.Fatal(err)
		}
	}
	line, err := wire.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := json.Indent(&text, line, "", "  "); err != nil {
		t.Fatal(err)
	}
	text.WriteByte('\n')
	return []txtar.File{{Name: "request", Data: text.Bytes()}}
}
