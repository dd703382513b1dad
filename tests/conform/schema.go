package conform

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/approvald/approvald/schema"
)

// url is what the compiler calls a schema. Nothing is fetched: it is given the document.
const url = "urn:approvald:schema"

// A form is the schema in one of its two readings. It is safe for concurrent use.
type form struct {
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
}

// open is the schema as it is: members that it does not list are permitted. It is for what clients
// send, which may be newer.
var open = sync.OnceValue(func() *form { return compile(document()) })

// strict is the schema without that permission. It is for what this daemon sends: what it sends it
// must have told of.
var strict = sync.OnceValue(func() *form { return compile(closed(document())) })

// document is the schema as a value of the compiler's.
func document() map[string]any {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schema.Document))
	if err != nil {
		panic("conform: the schema is no JSON: " + err.Error())
	}
	return doc.(map[string]any) //nolint:errcheck,forcetypeassert // a schema is an object, or the tests end here
}

func compile(doc map[string]any) *form {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(url, doc); err != nil {
		panic("conform: " + err.Error())
	}
	return &form{compiler: c, compiled: map[string]*jsonschema.Schema{}}
}

// validate holds text against what pointer points at.
func (f *form) validate(pointer string, text []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	s, err := f.at(pointer)
	if err != nil {
		return err
	}
	if err := s.Validate(value); err != nil {
		return fmt.Errorf("%s is not of the schema %s: %w", clip(text), pointer, err)
	}
	return nil
}

func (f *form) at(pointer string) (*jsonschema.Schema, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.compiled[pointer]; s != nil {
		return s, nil
	}
	s, err := f.compiler.Compile(url + "#" + pointer)
	if err == nil {
		f.compiled[pointer] = s
	}
	return s, err
}

func clip(text []byte) string {
	const most = 400
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

// closed is a schema that permits no members but those that it lists, wherever it lists any.
func closed(doc map[string]any) map[string]any {
	out := maps.Clone(doc)
	for name, v := range out {
		out[name] = closedValue(v)
	}
	_, listed := out["properties"]
	_, said := out["additionalProperties"]
	if listed && !said && out["type"] == "object" {
		out["additionalProperties"] = false
	}
	return out
}

func closedValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return closed(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = closedValue(v[i])
		}
		return out
	default:
		return v
	}
}
