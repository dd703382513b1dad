package canon

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// edgeParams has a member of each shape that the wire structs use.
type edgeParams struct {
	Text  string          `json:"text"`
	Opt   *string         `json:"opt,omitempty"`
	Count int64           `json:"count"`
	Flag  bool            `json:"flag"`
	Inner edgeInner       `json:"inner"`
	List  []edgeInner     `json:"list"`
	Raw   json.RawMessage `json:"raw"`
	Own   edgeOwn         `json:"own"`
}

type edgeInner struct {
	Index uint32 `json:"index"`
}

// edgeOwn decodes itself and refuses everything.
type edgeOwn struct{}

func (*edgeOwn) UnmarshalJSON([]byte) error { return errors.New("want one of park, refuse") }

func TestUnmarshalFills(t *testing.T) {
	word := "w"
	tests := []struct {
		name, in string
		want     edgeParams
	}{
		{"every member", `{"text":"a","opt":"w","count":-2,"flag":true,"inner":{"index":1},"list":[{"index":2}],"raw": {"n": 1.0} }`,
			edgeParams{Text: "a", Opt: &word, Count: -2, Flag: true, Inner: edgeInner{1}, List: []edgeInner{{2}}, Raw: json.RawMessage(`{"n": 1.0}`)}},
		{"unknown members are ignored", `{"text":"a","futureOptionalField":{"x":[1]}}`, edgeParams{Text: "a"}},
		{"names match in their exact case", `{"Text":"a","TEXT":"b"}`, edgeParams{}},
		{"null leaves the zero value", `{"text":null,"opt":null,"count":null,"inner":null,"list":null}`, edgeParams{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got edgeParams
			if err := Unmarshal([]byte(tt.in), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUnmarshalErrorNamesTheMember(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"a number for a string", `{"text":1}`, `member "text" must be a string, not a number`},
		{"a boolean for an optional string", `{"opt":true}`, `member "opt" must be a string, not a boolean`},
		{"a string for a number", `{"count":"1"}`, `member "count" must be an integer of at most 64 bits, not a string`},
		{"a fraction for an integer", `{"count":1.5}`, `member "count" must be an integer of at most 64 bits`},
		{"a number out of range", `{"inner":{"index":4294967296}}`, `member "inner.index" must be a non-negative integer of at most 32 bits`},
		{"a number for a boolean", `{"flag":0}`, `member "flag" must be a boolean, not a number`},
		{"an array for an object", `{"inner":[]}`, `member "inner" must be an object, not an array`},
		{"an object for an array", `{"list":{}}`, `member "list" must be an array, not an object`},
		{"an element of a list", `{"list":[{},{"index":"a"}]}`, `member "list.1.index" must be a non-negative integer of at most 32 bits, not a string`},
		{"a type's own refusal", `{"own":"x"}`, `member "own": want one of park, refuse`},
		{"the top value", `[]`, `the value must be an object, not an array`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := Unmarshal([]byte(tt.in), new(edgeParams))
			if err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestUnmarshalIsStrict(t *testing.T) {
	tests := []struct{ name, in, wantText string }{
		{"a duplicate name", `{"text":"a","text":"b"}`, `duplicate object member name "text"`},
		{"a duplicate name in an unknown member", `{"x":{"a":1,"a":1}}`, `duplicate object member name "x.a"`},
		{"invalid UTF-8", "{\"text\":\"\xff\"}", "UTF-8"},
		{"a lone surrogate", `{"text":"\udc00"}`, "surrogate"},
		{"a truncated text", `{"text":`, "not a JSON text (byte 8)"},
		{"65 levels", `{"x":` + nested(64) + `}`, "deeper than 64"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := Unmarshal([]byte(tt.in), new(edgeParams))
			if err == nil || !strings.Contains(err.Error(), tt.wantText) {
				t.Errorf("error %v does not say %q", err, tt.wantText)
			}
		})
	}
}

func TestPathIsBounded(t *testing.T) {
	tests := []struct {
		name    string
		pointer jsontext.Pointer
		want    string
	}{
		{"a short one is whole", "/requirementId/sourceIndex", "requirementId.sourceIndex"},
		{"a long name is cut", jsontext.Pointer("/" + strings.Repeat("a", 200)), strings.Repeat("a", 128) + "…"},
		{"many names are cut", jsontext.Pointer(strings.Repeat("/a", 200)), strings.Repeat("a.", 64) + "…"},
		{"no character is cut in half", jsontext.Pointer("/" + strings.Repeat("a", 127) + "é/b"), strings.Repeat("a", 127) + "…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Path(tt.pointer); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}
