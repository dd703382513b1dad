package scenario_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/approvald/approvald/internal/scenario"
)

func TestAMalformedScenarioIsRefusedWithItsLineAndASentence(t *testing.T) {
	header := func(members string) string {
		return `{"dir":"header","title":"A test.","clock":"2026-01-02T03:04:05.000Z","seed":1` + members + `}`
	}
	first := client("main", "", list)
	tests := map[string]struct {
		lines []string
		want  string
	}{
		"nothing":               {[]string{""}, "1: the line is not one JSON object with a member dir"},
		"no JSON":               {[]string{plainHeader, `{"dir":`}, "2: the line is not one JSON object with a member dir"},
		"an empty line":         {[]string{plainHeader, "", first}, "2: the line is not one JSON object with a member dir"},
		"no header":             {[]string{first}, "1: the first line, and only it, is the header"},
		"a second header":       {[]string{plainHeader, plainHeader}, "2: the first line, and only it, is the header"},
		"no title":              {[]string{`{"dir":"header","clock":"2026-01-02T03:04:05.000Z","seed":1}`}, "1: the header has no title"},
		"no clock":              {[]string{`{"dir":"header","title":"A test.","seed":1}`}, "1: the header has no clock"},
		"no seed":               {[]string{`{"dir":"header","title":"A test.","clock":"2026-01-02T03:04:05.000Z"}`}, "1: the header has no seed"},
		"a clock that is none":  {[]string{`{"dir":"header","title":"A test.","clock":"noon","seed":1}`}, "1: clock: "},
		"a misspelt member":     {[]string{header(`,"id":[]`)}, `1: the line cannot be read: `},
		"a member twice":        {[]string{header(`,"seed":2`)}, `1: the line `},
		"an id that is none":    {[]string{header(`,"ids":["1"]`)}, `1: ids: `},
		"an empty placeholder":  {[]string{header(`,"vars":{"":"what"}`)}, `1: vars: "" is no placeholder`},
		"a quoted placeholder":  {[]string{header(`,"vars":{"a\"b":"what"}`)}, `1: vars: "a\"b" is no placeholder`},
		"an unknown mode":       {[]string{header(`,"serve":{"mode":"ask"}`)}, `1: serve: "ask" is no mode`},
		"an unknown setting":    {[]string{header(`,"serve":{"agents":"x"}`)}, `1: the line cannot be read: `},
		"the client's program":  {[]string{header(`,"serve":{"agentCmd":"main"}`)}, `1: serve: agentCmd names the connection main`},
		"a program's role":      {[]string{header(`,"serve":{"agentCmd":"x"}`), client("x", "agent", list)}, `2: connection "x" is the program that the daemon starts, and has no role`},
		"a relative file":       {[]string{header(`,"files":{"a":"x"}`)}, `1: files: "a" must be an absolute, clean path`},
		"an unclean file":       {[]string{header(`,"files":{"/a/../b":"x"}`)}, `1: files: "/a/../b" must be an absolute, clean path`},
		"the root as a file":    {[]string{header(`,"files":{"/":"x"}`)}, `1: files: "/" must be an absolute, clean path`},
		"a file that is not":    {[]string{header(`,"files":{"/a":null}`)}, `1: files: /a is null`},
		"a file of no form":     {[]string{header(`,"files":{"/a":{"dir":true,"link":"b"}}`)}, `1: the line cannot be read: `},
		"an unknown dir":        {[]string{plainHeader, `{"dir":"peer"}`}, `2: dir is "peer"; it must be client, server or control`},
		"a server line first":   {[]string{plainHeader, server("main", "{}")}, "2: a server line stands behind the client or control line that causes it"},
		"an unknown connection": {[]string{plainHeader, first, server("other", "{}")}, `3: no connection "other" was opened before`},
		"no role":               {[]string{plainHeader, client("other", "", list)}, `2: connection "other" is opened here and must have a role`},
		"an unknown role":       {[]string{plainHeader, client("other", "boss", list)}, `2: there is no role "boss"`},
		"another role":          {[]string{plainHeader, client("a", "agent", list), client("a", "host", list)}, `3: connection "a" was opened with the role agent`},
		"no frame":              {[]string{plainHeader, `{"dir":"client"}`}, "2: a frame has either raw or base64"},
		"two frames":            {[]string{plainHeader, `{"dir":"client","raw":"","base64":""}`}, "2: a frame has either raw or base64"},
		"a newline":             {[]string{plainHeader, `{"dir":"client","raw":"a\nb"}`}, "2: raw holds a newline"},
		"bad base64":            {[]string{plainHeader, `{"dir":"client","base64":"%"}`}, "2: base64 must be the bytes of one line"},
		"base64 of a newline":   {[]string{plainHeader, `{"dir":"client","base64":"Cg=="}`}, "2: base64 must be the bytes of one line"},
		"a negative pad":        {[]string{plainHeader, `{"dir":"client","raw":"","pad":-1}`}, "2: pad must be 0 to 20971520"},
		"a server line's role":  {[]string{plainHeader, first, `{"dir":"server","raw":"","role":"agent"}`}, "3: a server line has raw and conn"},
		"an unknown op":         {[]string{plainHeader, `{"dir":"control","op":"pause"}`}, `2: there is no op "pause"`},
		"advance by nothing":    {[]string{plainHeader, `{"dir":"control","op":"advance"}`}, "2: advance has no ms"},
		"advance back":          {[]string{plainHeader, `{"dir":"control","op":"advance","ms":-1}`}, "2: ms must be 1 to 2147483647"},
		"disconnect for a time": {[]string{plainHeader, first, `{"dir":"control","op":"disconnect","ms":1}`}, "3: disconnect has no ms"},
		"disconnect nobody":     {[]string{plainHeader, `{"dir":"control","op":"disconnect"}`}, `2: no connection "main" was opened before`},
		"crash of one":          {[]string{plainHeader, first, `{"dir":"control","op":"crash","conn":"main"}`}, "3: crash has no conn"},
		"files without files":   {[]string{plainHeader, `{"dir":"control","op":"files"}`}, "2: files, and nothing else, has files"},
		"files of a crash":      {[]string{plainHeader, `{"dir":"control","op":"crash","files":{}}`}, "2: files, and nothing else, has files"},
		"policy without text":   {[]string{plainHeader, `{"dir":"control","op":"policy"}`}, "2: policy has no text"},
		"text of an advance":    {[]string{plainHeader, `{"dir":"control","op":"advance","ms":1,"text":""}`}, "2: advance has no text"},
		"policy for a time":     {[]string{plainHeader, `{"dir":"control","op":"policy","text":"","ms":1}`}, "2: policy has no ms"},
		"a relative file later": {[]string{plainHeader, `{"dir":"control","op":"files","files":{"a":null}}`}, `2: files: "a" must be an absolute, clean path`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := scenario.Parse("test.ndjson", []byte(join(test.lines...)))
			if err == nil || !strings.HasPrefix(err.Error(), "test.ndjson:"+test.want) {
				t.Errorf("Parse = %v, want test.ndjson:%s…", err, test.want)
			}
		})
	}
}

func TestLoadReadsAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.ndjson")
	if err := os.WriteFile(path, []byte(join(recorded(t)...)), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if s.Title() != "A test." {
		t.Errorf("its title is %q", s.Title())
	}
	if err := s.Play(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestLoadNamesTheFileThatIsNotThere(t *testing.T) {
	if _, err := scenario.Load("none.ndjson"); err == nil || !strings.Contains(err.Error(), "none.ndjson") {
		t.Errorf("Load = %v", err)
	}
}

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("../../testdata/scenarios/*.ndjson")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := scenario.Parse("test.ndjson", text); err != nil && !strings.HasPrefix(err.Error(), "test.ndjson:") {
			t.Errorf("the error %q does not say where", err)
		}
	})
}
