package arch

import (
	"strings"
	"testing"
)

// A rule that finds nothing in good code proves nothing: each must also catch its breach.
func TestRulesCatchTheirBreach(t *testing.T) {
	small := []place{
		{"high", 2, shell, limit{never: []string{"side"}}},
		{"side", 1, shell, limit{}},
		{"alone", 2, shell, limit{only: []string{"low"}}},
		{"above", 1, pure, limit{also: []string{"beside"}}},
		{"beside", 1, pure, limit{}},
		{"low", 0, pure, limit{}},
	}
	const ours = `"github.com/approvald/approvald/`
	tests := map[string]struct {
		rule       func([]place, []*source) []string
		file, code string
		want       string // in the only fault; "" for none
	}{
		"an unknown package":                       {unlisted, "new/a.go", "", "new is not on the map"},
		"a program under tests/ needs no line":     {unlisted, "tests/bench/a.go", "", ""},
		"a package of tests alone needs no line":   {unlisted, "new/a_test.go", "", ""},
		"an import of a lower row":                 {imports, "high/a.go", "import _ " + ours + `low"`, ""},
		"an import of a higher row":                {imports, "side/a.go", "import _ " + ours + `high"`, "row 1 imports lower rows only"},
		"an import of the same row":                {imports, "beside/a.go", "import _ " + ours + `above"`, "row 1 imports lower rows only"},
		"an arrow within a row":                    {imports, "above/a.go", "import _ " + ours + `beside"`, ""},
		"an import round a layer":                  {imports, "high/a.go", "import _ " + ours + `side"`, "an interface of its own"},
		"an import beyond the only ones":           {imports, "alone/a.go", "import _ " + ours + `beside"`, "nothing else"},
		"one of the only ones":                     {imports, "alone/a.go", "import _ " + ours + `low"`, ""},
		"an import that is not on the map":         {imports, "high/a.go", "import _ " + ours + `new"`, "not on the map"},
		"a test imports what it needs":             {imports, "low/a_test.go", "import _ " + ours + `high"`, ""},
		"a pure package imports os":                {impurities, "low/a.go", `import _ "os"`, "I/O"},
		"a pure package imports below net":         {impurities, "low/a.go", `import _ "net/http"`, "I/O"},
		"a pure package parses an address":         {impurities, "low/a.go", `import _ "net/netip"`, ""},
		"a pure package imports a lock":            {impurities, "low/a.go", `import _ "sync/atomic"`, "lock"},
		"a pure package has a lock":                {impurities, "low/a.go", "import \"sync\"\nvar mu sync.Mutex", "sync.Mutex is for sharing"},
		"a pure package hides a lock":              {impurities, "low/a.go", "import s \"sync\"\nfunc f(mu *s.RWMutex) {}", "sync.RWMutex is for sharing"},
		"a pure package keeps what it may use":     {impurities, "low/a.go", "import \"sync\"\nvar p = sync.Pool{}\nvar x = sync.OnceValue(f)", ""},
		"a pure package imports a store":           {impurities, "low/a.go", `import _ "go.etcd.io/bbolt"`, "known to compute only"},
		"a pure package imports a parser":          {impurities, "low/a.go", `import _ "mvdan.cc/sh/v3/syntax"`, ""},
		"a pure package hides an import":           {impurities, "low/a.go", `import . "time"`, "dot import"},
		"a pure package reads the clock":           {impurities, "low/a.go", "import clock \"time\"\nvar x = clock.Now()", "time.Now"},
		"a pure package mints an id":               {impurities, "low/a.go", "import \"github.com/oklog/ulid/v2\"\nvar x = ulid.Make()", "Make"},
		"a pure package adds durations":            {impurities, "low/a.go", "import \"time\"\nvar x = 2 * time.Second", ""},
		"a pure package prints":                    {impurities, "low/a.go", "import \"fmt\"\nfunc f() { fmt.Println() }", "fmt.Println"},
		"a pure package starts a goroutine":        {impurities, "low/a.go", "func f() { go f() }", "goroutine"},
		"a pure package makes a channel":           {impurities, "low/a.go", "var c = make(chan int)", "channel"},
		"a pure package sends":                     {impurities, "low/a.go", "func f() { c <- 1 }", "channel"},
		"a pure package receives":                  {impurities, "low/a.go", "func f() { <-c }", "channel"},
		"a shell package may do all that":          {impurities, "high/a.go", "import \"os\"\nfunc f() { go os.Exit(0) }", ""},
		"a file of 501 lines":                      {tooLong, "low/a.go", strings.Repeat("\n", 500), "501 lines"},
		"a file of 500 lines":                      {tooLong, "low/a.go", strings.Repeat("\n", 499), ""},
		"a test that sleeps":                       {sleeps, "low/a_test.go", "import \"time\"\nfunc f() { time.Sleep(1) }", "must not sleep"},
		"a test that sleeps in a bubble's package": {sleeps, "low/a_test.go", "import (\"time\"; \"testing/synctest\")\nfunc f() { synctest.Test(nil, nil); time.Sleep(1) }", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f, err := parse(tt.file, []byte("package p; "+tt.code+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			faults := tt.rule(small, []*source{f})
			switch {
			case tt.want == "" && len(faults) > 0:
				t.Errorf("faults %q, want none", faults)
			case tt.want != "" && (len(faults) != 1 || !strings.Contains(faults[0], tt.want)):
				t.Errorf("faults %q, want one with %q", faults, tt.want)
			}
		})
	}
}

func TestMapNamesAreFoundWhole(t *testing.T) {
	table := []place{{pkg: "internal/policy"}, {pkg: "internal/policy/shell"}}
	if faults := undocumented(table, "see `internal/policy/shell`"); len(faults) != 1 {
		t.Errorf("faults %q, want one for internal/policy", faults)
	}
	if faults := undocumented(table, "internal/policy, internal/policy/shell"); faults != nil {
		t.Errorf("faults %q, want none", faults)
	}
}

func TestLineWithoutCodeIsFound(t *testing.T) {
	if faults := missing([]place{{pkg: "gone"}}, nil); len(faults) != 1 {
		t.Errorf("faults %q, want one for gone", faults)
	}
}

func TestNamesThatAreNotInTheTreeAreFound(t *testing.T) {
	suite := map[string]bool{"TestThere": true, "FuzzThere": true, "two-stage.ndjson": true, "serve.txtar": true}
	for text, want := range map[string]string{
		"held by `log` TestThere, FuzzThere and [two-stage.ndjson](../a/two-stage.ndjson), serve.txtar": "",
		"held by TestGone":             "doc.md:1 names TestGone",
		"one line\nand FuzzGone":       "doc.md:2 names FuzzGone",
		"held by TestThereToo":         "names TestThereToo",
		"see `gone-for-good.ndjson`":   "names gone-for-good.ndjson",
		"see [it](a/no-stage.ndjson)":  "names no-stage.ndjson",
		"see gone.txtar":               "names gone.txtar",
		"`make test TESTFLAGS=-v`":     "",
		"write NAME.ndjson, *.ndjson":  "",
		"a Test, Tests and a TestedXY": "",
	} {
		one(t, text, unfounded("doc.md", text, suite), want)
	}
}

func TestRowsThatNameNothingAreFound(t *testing.T) {
	const head = "| what | held by |\n|---|---|\n"
	for text, want := range map[string]string{
		head + "| it | `log` TestIt |\n| that | `that.ndjson`, the second line |": "",
		head + "| it | TestIt |\n| that | `log` append tests |":                   "doc.md:4 names no test",
		head + "| it | `log` |": "doc.md:3",
		head + "| it | none in this version: there are no permits |": "",
		head + "| it |  |": "doc.md:3",
		"| what | where |\n|---|---|\n| it | `log` |":               "",
		head + "| it | TestIt |\n\n| a | b |\n|---|---|\n| c | d |": "",
	} {
		one(t, text, unheld("doc.md", text), want)
	}
}

// one wants one fault that says so, or none for "".
func one(t *testing.T, of string, faults []string, want string) {
	t.Helper()
	if want == "" && len(faults) > 0 || want != "" && (len(faults) != 1 || !strings.Contains(faults[0], want)) {
		t.Errorf("%q: faults %q, want one with %q", of, faults, want)
	}
}
