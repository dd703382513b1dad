package conform

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/approvald/approvald/schema"
)

// The compiler holds what it compiles against the meta-schema. Every definition is compiled, whether
// anything refers to it or not.
func TestDocumentIsAJSONSchema(t *testing.T) {
	for reading, form := range map[string]*form{"as it is": open(), "closed": strict()} {
		t.Run(reading, func(t *testing.T) {
			if _, err := form.at(""); err != nil {
				t.Fatal(err)
			}
			defs, ok := document()["$defs"].(map[string]any)
			if !ok || len(defs) == 0 {
				t.Fatal("there are no definitions")
			}
			for name := range defs {
				if _, err := form.at("/$defs/" + name); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// Of the schemas in the OpenRPC document the same holds.
func TestSchemasOfTheOpenRPCDocumentAreJSONSchemas(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schema.OpenRPC))
	if err != nil {
		t.Fatal(err)
	}
	var names struct {
		Methods    []struct{ Params []struct{} }
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal([]byte(schema.OpenRPC), &names); err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("urn:approvald:openrpc", doc); err != nil {
		t.Fatal(err)
	}
	if len(names.Components.Schemas) == 0 {
		t.Fatal("there are no schemas")
	}
	for name := range names.Components.Schemas {
		if _, err := c.Compile("urn:approvald:openrpc#/components/schemas/" + name); err != nil {
			t.Error(err)
		}
	}
}

// A schema that takes anything would pass every other test.
func TestWhatIsNotOfTheSchemaIsRefused(t *testing.T) {
	const (
		requested = `"sessionId":"0198f0ac-7777-7000-8000-000000000001","viewCursor":"v:0198f0ac-7777-7000-8000-000000000001:4","sourceRange":{"stream":{"kind":"session","id":"s"},"first":{"id":"s:1","sequence":1},"last":{"id":"s:1","sequence":1}}`
		closing   = `{"jsonrpc":"2.0","method":"session/closed","params":{` + requested + `,"reason":"closed"},"emittedAtMs":1}`
		refused   = `{"jsonrpc":"2.0","id":7,"error":{"code":-32020,"message":"There is no such session.","data":{"kind":"sessionNotFound","retryable":false,"sessionId":"s"}}}`
		decision  = `{"commandId":"0198f0ac-7777-7000-8000-00000000d001","sessionId":"s","approvalId":"a","requirementId":{"approvalId":"a","sourceIndex":0},"choiceId":"allow_once"}`
	)
	frames := map[string]struct{ frame, was, is string }{
		"a required member is gone":             {closing, `"reason":"closed"`, `"why":"closed"`},
		"a member that is not listed":           {closing, `"reason"`, `"extra":1,"reason"`},
		"a member of a member is gone":          {closing, `"sequence":1},"last"`, `"sequel":1},"last"`},
		"another type":                          {closing, `"sequence":1`, `"sequence":"1"`},
		"a negative number":                     {closing, `"sequence":1`, `"sequence":-1`},
		"null where there must be a value":      {closing, `"reason":"closed"`, `"reason":null`},
		"another version of JSON-RPC":           {closing, `"2.0"`, `"1.0"`},
		"a method that there is not":            {closing, "session/closed", "session/ended"},
		"a request as a notification":           {closing, "session/closed", "approval/request"},
		"an event with an id":                   {closing, `"method"`, `"id":1,"method"`},
		"params that are no object":             {closing, `"params":{` + requested + `,"reason":"closed"}`, `"params":[]`},
		"an error without its data":             {refused, `,"data":{"kind":"sessionNotFound","retryable":false,"sessionId":"s"}`, ``},
		"an error without what it is about":     {refused, `,"sessionId":"s"`, ``},
		"an error with what it is not about":    {refused, `"sessionId":"s"`, `"sessionId":"s","capacity":1`},
		"an error with the kind of another one": {refused, "sessionNotFound", "approvalNotFound"},
		"an error without retryable":            {refused, `"retryable":false,`, ``},
		"an error and a result":                 {refused, `"error"`, `"result":{},"error"`},
	}
	for name, tt := range frames {
		t.Run(name, func(t *testing.T) {
			if err := Frame([]byte(tt.frame)); err != nil {
				t.Fatalf("the frame as it is: %v", err)
			}
			mutant := strings.Replace(tt.frame, tt.was, tt.is, 1)
			if mutant == tt.frame {
				t.Fatal("nothing was changed")
			}
			if Frame([]byte(mutant)) == nil {
				t.Errorf("it was taken: %s", mutant)
			}
		})
	}
	for name, tt := range map[string]struct{ was, is string }{
		"a commandId that is none":        {"0198f0ac-7777-7000-8000-00000000d001", "0198f0ac-7777-4000-8000-00000000d001"},
		"a requirement that is no object": {`{"approvalId":"a","sourceIndex":0}`, `0`},
		"a stage before the first":        {`"sourceIndex":0`, `"sourceIndex":-1`},
		"no choice":                       {`,"choiceId":"allow_once"`, ``},
		"feedback that is no text":        {`"allow_once"`, `"abort","feedback":1`},
	} {
		t.Run(name, func(t *testing.T) {
			if err := Params("approval/decide", []byte(decision)); err != nil {
				t.Fatal(err)
			}
			if mutant := strings.Replace(decision, tt.was, tt.is, 1); Params("approval/decide", []byte(mutant)) == nil {
				t.Errorf("it was taken: %s", mutant)
			}
		})
	}
	for params, taken := range map[string]bool{
		strings.Replace(decision, "allow_once", "allow_for_an_hour", 1):          true, // an open set
		strings.Replace(decision, `"choiceId"`, `"future":{},"choiceId"`, 1):     true, // a newer client
		strings.Replace(decision, `"choiceId"`, `"feedback":null,"choiceId"`, 1): true,
	} {
		if err := Params("approval/decide", []byte(params)); (err == nil) != taken {
			t.Errorf("%s: %v", params, err)
		}
	}
}

// Every definition that lists members refuses an object that has none of those that it requires.
func TestEveryRequiredMemberIsMissed(t *testing.T) {
	defs, ok := document()["$defs"].(map[string]any)
	if !ok {
		t.Fatal("there are no definitions")
	}
	held := 0
	for name, def := range defs {
		def, ok := def.(map[string]any)
		if !ok || def["required"] == nil || def["properties"] == nil {
			continue
		}
		held++
		if open().validate("/$defs/"+name, []byte(`{}`)) == nil {
			t.Errorf("%s takes {}, and requires %v", name, def["required"])
		}
		if slices.Contains([]any{"object"}, def["type"]) && open().validate("/$defs/"+name, []byte(`[]`)) == nil {
			t.Errorf("%s takes []", name)
		}
	}
	if held < 100 {
		t.Errorf("only %d definitions require anything", held)
	}
}
