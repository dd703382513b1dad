package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/comments"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/schema"
	"github.com/approvald/approvald/wire"
)

func made(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestGeneratedFilesAreCurrent(t *testing.T) {
	for name, want := range made(t) {
		got, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatalf("%v: run make docs", err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is stale: run make docs, and say in CHANGELOG.md what changed for clients\n%s", name, diff)
		}
	}
}

// What initialize tells is the digest of what `approvald schema` prints.
func TestFingerprintIsThatOfTheDocument(t *testing.T) {
	if want := fingerprint([]byte(schema.Document)); wire.Fingerprint != want {
		t.Errorf("wire.Fingerprint is %s, and the document gives %s: run make docs", wire.Fingerprint, want)
	}
}

// index is the document as far as a reader needs it to find things.
type index struct {
	Methods, ClientNotifications, ServerRequests, Notifications map[string]struct {
		Kind           wire.MethodKind
		Params, Result *struct {
			Ref string `json:"$ref"`
		}
	}
	Errors map[wire.ErrorKind]struct {
		Code                int
		Retryable, Recorded bool
	}
	Records map[string]struct {
		Number, Version int
	}
	Defs map[string]json.RawMessage `json:"$defs"`
}

func read(t *testing.T) (doc index) {
	t.Helper()
	if err := json.Unmarshal(made(t)[schemaFile], &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestEveryMethodErrorAndRecordHasItsPlace(t *testing.T) {
	doc := read(t)
	for _, m := range wire.Methods {
		entry, ok := map[wire.MethodKind]map[string]struct {
			Kind           wire.MethodKind
			Params, Result *struct {
				Ref string `json:"$ref"`
			}
		}{
			wire.CommandMethod: doc.Methods, wire.QueryMethod: doc.Methods, wire.ClientNotificationMethod: doc.ClientNotifications,
			wire.ServerRequestMethod: doc.ServerRequests, wire.NotificationMethod: doc.Notifications,
		}[m.Kind][m.Name]
		switch {
		case !ok || entry.Kind != m.Kind:
			t.Errorf("%s has no entry as a %s", m.Name, m.Kind)
		case entry.Params == nil || doc.Defs[strings.TrimPrefix(entry.Params.Ref, "#/$defs/")] == nil:
			t.Errorf("%s has no params that are defined", m.Name)
		case (m.Result != nil) != (entry.Result != nil):
			t.Errorf("%s has a result in only one of the table and the schema", m.Name)
		}
	}
	for _, e := range wire.Errors {
		if got := doc.Errors[e.Kind]; got.Code != e.Code || got.Retryable != e.Retryable || got.Recorded != e.Recorded {
			t.Errorf("%s is %+v", e.Kind, got)
		}
	}
	for _, kind := range record.Kinds() {
		if got := doc.Records[kind.String()]; got.Number != int(kind) || got.Version == 0 {
			t.Errorf("%s is %+v", kind, got)
		}
	}
}

// Shapes that a peer could tell apart have other schemas.
func TestSchemasTellShapesApart(t *testing.T) {
	shapes := []any{
		struct {
			A string `json:"a"`
		}{},
		struct {
			A string `json:"b"`
		}{},
		struct {
			A string `json:"a,omitzero"`
		}{},
		struct {
			A int `json:"a"`
		}{},
		struct {
			A uint64 `json:"a"`
		}{},
		struct {
			A bool `json:"a"`
		}{},
		struct {
			A *string `json:"a"`
		}{},
		struct {
			A wire.List[string] `json:"a"`
		}{},
		struct {
			A wire.List[int] `json:"a"`
		}{},
		struct {
			A []string `json:"a"`
		}{},
		struct {
			A wire.Mode `json:"a"`
		}{},
		struct {
			A wire.Decision `json:"a"`
		}{},
		struct {
			A wire.Time `json:"a"`
		}{},
		struct {
			A json.RawMessage `json:"a"`
		}{},
		struct {
			A wire.ClientInfo `json:"a"`
		}{},
		struct {
			A string `json:"a"`
			B string `json:"b"`
		}{},
		struct {
			wire.Ack
		}{},
	}
	src, err := readSources(root)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]reflect.Type{}
	for _, shape := range shapes {
		text, err := encode(newSchemas(src, "#/$defs/").structure(reflect.TypeOf(shape)))
		if err != nil {
			t.Fatal(err)
		}
		if other, twice := seen[string(text)]; twice {
			t.Errorf("%s and %s have one schema:\n%s", reflect.TypeOf(shape), other, text)
		}
		seen[string(text)] = reflect.TypeOf(shape)
	}
}

// What is said of a member must be of one that there is: a member that was renamed would lose its
// bounds without a word.
func TestWhatIsSaidOfMembersIsOfMembersThatThereAre(t *testing.T) {
	members := map[string]bool{}
	src, err := readSources(root)
	if err != nil {
		t.Fatal(err)
	}
	for pkg, of := range src {
		for name, s := range of.Structs {
			for field := range s.Fields {
				members[map[string]string{"internal/record": "Record", "internal/audit": "Audit"}[strings.TrimPrefix(pkg, module)]+name+"."+field] = true
			}
		}
	}
	for at := range bounds {
		if !members[at] {
			t.Errorf("bounds has %s, which is no member", at)
		}
	}
	for name := range choices {
		if src[module+"wire"].Structs[name] == nil {
			t.Errorf("choices has %s, which is no struct", name)
		}
	}
	for _, e := range wire.Errors {
		for _, name := range e.Data {
			name := strings.TrimSuffix(name, "?")
			if !slices.ContainsFunc(reflect.VisibleFields(reflect.TypeFor[wire.ErrorData]()), func(f reflect.StructField) bool {
				member, _ := comments.Member(f)
				return member == name
			}) {
				t.Errorf("%s carries %s, which is no member of data", e.Kind, name)
			}
		}
	}
}

// No description has words that only a reader of the Go source understands.
func TestDescriptionsAreReadableWithoutGo(t *testing.T) {
	text := string(made(t)[schemaFile])
	for _, word := range []string{"msp-facts", "policy.md", "nil:", "SessionID", "ApprovalID", "`", "[Stage]", "DecodeSubject", "json.RawMessage"} {
		if i := strings.Index(text, word); i >= 0 {
			t.Errorf("%q is in …%s…", word, text[max(0, i-100):min(len(text), i+100)])
		}
	}
}
