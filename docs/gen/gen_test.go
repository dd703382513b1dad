package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/comments"
	"github.com/approvald/approvald/wire"
)

func TestDocumentsAreCurrent(t *testing.T) {
	for name := range documents {
		t.Run(name, func(t *testing.T) {
			want, err := generate(root, name)
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(root, "docs", name))
			if err != nil {
				t.Fatalf("%v: run make docs", err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("docs/%s is stale: run make docs\n%s", name, diff)
			}
		})
	}
}

func TestEveryMethodIsDescribed(t *testing.T) {
	text := made(t, protocol)
	for _, m := range wire.Methods {
		if !strings.Contains(text, "\n### "+m.Name+"\n") {
			t.Errorf("%s has no heading: protocol.md.tmpl does not describe section %s", m.Name, m.Section)
		}
	}
}

func TestEveryLinkLeadsSomewhere(t *testing.T) {
	headings := map[string]map[string]bool{}
	for name := range documents {
		headings[name] = map[string]bool{}
		for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(made(t, name), -1) {
			headings[name][anchor(m[1])] = true
		}
	}
	link := regexp.MustCompile(`\]\(([^)#]*)(?:#([^)]*))?\)`)
	for name := range documents {
		for _, m := range link.FindAllStringSubmatch(made(t, name), -1) {
			file, place := m[1], m[2]
			if file == "" {
				file = name
			}
			if known, ours := headings[file]; ours && place != "" && !known[place] {
				t.Errorf("%s links to %s#%s, which is no heading", name, file, place)
			}
			if _, err := os.Stat(filepath.Join(root, "docs", file)); err != nil {
				t.Errorf("%s links to a file that is not there: %v", name, err)
			}
		}
	}
}

// made is a document as the generator makes it.
func made(t *testing.T, name string) string {
	t.Helper()
	text, err := generate(root, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestCommentsAreReadableWithoutGo(t *testing.T) {
	src, err := comments.Parse(filepath.Join(root, "wire"))
	if err != nil {
		t.Fatal(err)
	}
	d := newDocument(protocol, src, "## 6. Approvals\n")
	choice := reflect.TypeFor[wire.Choice]()
	for _, tt := range []struct {
		name, in, want string
	}{
		{"a field", "RulePreview is to be shown.", "`rulePreview` is to be shown."},
		{"a field of another struct", "ActiveTurnID is set", "`activeTurnId` is set"},
		{"an English word that is also a field", "Status of it", "Status of it"},
		{"a constant", "[ScopeSession] or [ScopeOnce]", "`session` or `once`"},
		{"a number", "ProtocolVersion", "`1`"},
		{"a type", "see [Stage]", "see [Stage](#stage)"},
		{"a method", "as approval/read says", "as [approval/read](#approvalread) says"},
		{"a path that is no method", "see agent/sock", "see agent/sock"},
		{"a member", "limitBytes and allow_once", "`limitBytes` and `allow_once`"},
		{"nil", "nil: no deadline", "absent: no deadline"},
		{"a section", "protocol §6", "[§6](#6-approvals)"},
		{"another page", "It is so (msp-facts §5.2).", "It is so."},
		{"markup", "v:<n>", "v:&lt;n>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := d.text(choice, tt.in); got != tt.want {
				t.Errorf("text(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestAHeadingIsNotRepeated(t *testing.T) {
	for in, want := range map[string]string{
		"Choice is one row.":   "One row.",
		"Choice names a row.":  "Names a row.",
		"Choices are many.":    "Choices are many.",
		"The menu's one row. ": "The menu's one row. ",
	} {
		if got := comments.WithoutName("Choice", in); got != want {
			t.Errorf("comments.WithoutName(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLayoutChangesOnlyWhiteSpace(t *testing.T) {
	long := strings.Repeat("x", 90)
	for _, in := range []string{
		`{}`,
		`{"a":1,"b":[1,2,{"c":null}]}`,
		`{"a":"` + long + `","b":{"c":"` + long + `","d":[1,"` + long + `",{}]},"e":"two words, a comma: a colon","f":1.50}`,
		`["` + long + `","` + long + `","\"quoted\\"]`,
	} {
		out := layout(in)
		var compact bytes.Buffer
		if err := json.Compact(&compact, []byte(out)); err != nil {
			t.Fatalf("%v:\n%s", err, out)
		}
		if compact.String() != in {
			t.Errorf("layout changed\n%s to\n%s", in, compact.String())
		}
	}
}

func TestLayoutBreaksWhatDoesNotFit(t *testing.T) {
	in := `{"jsonrpc":"2.0","method":"m","params":{"long":"` + strings.Repeat("x", 60) + `","small":{"a":1}}}`
	want := `{
  "jsonrpc":"2.0", "method":"m",
  "params":{"long":"` + strings.Repeat("x", 60) + `","small":{"a":1}}
}`
	if diff := cmp.Diff(want, layout(in)); diff != "" {
		t.Error(diff)
	}
}

func TestAnExampleThatIsNotRecordedIsAnError(t *testing.T) {
	r := recordings{filepath.Join(root, "testdata/scenarios")}
	const scenario = "approval-round-trip"
	for name, err := range map[string]error{
		"no such scenario":   second(r.asked("no-such", "agent", "initialize")),
		"no such connection": second(r.asked(scenario, "nobody", "initialize")),
		"no such request":    second(r.asked(scenario, "agent", "approval/decide")),
		"no answer to it":    second(r.answered(scenario, "agent", "initialized")),
		"never told":         second(r.told(scenario, "agent", "approval/request")),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func second(_ string, err error) error { return err }
