package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/comments"
	"github.com/approvald/approvald/wire"
)

// schemas makes schemas of Go types. Each struct and each enumeration that is met becomes a
// definition of its own, to which the others refer.
type schemas struct {
	src    sources
	prefix string // of a reference to a definition
	defs   object
	known  map[string]bool // names of definitions that are there or in the making
}

func newSchemas(src sources, prefix string) *schemas {
	return &schemas{src: src, prefix: prefix, known: map[string]bool{}}
}

var (
	rawJSON  = reflect.TypeFor[json.RawMessage]()
	timeType = reflect.TypeFor[wire.Time]()
	idType   = reflect.TypeFor[approval.ID]()
)

// ref is a reference to a definition.
func (s *schemas) ref(name string) object { return object{{"$ref", s.prefix + name}} }

// define makes a definition, once, and gives the reference to it.
func (s *schemas) define(name string, schema func() object) object {
	if !s.known[name] {
		s.known[name] = true
		s.defs = append(s.defs, member{name, schema()})
	}
	return s.ref(name)
}

// of is the schema of the values of a type.
func (s *schemas) of(t reflect.Type) object {
	switch t {
	case timeType:
		return s.define("Time", func() object {
			return object{{"type", "string"}, {"format", "date-time"}, {"description", s.src.about(t)}}
		})
	case idType:
		return s.define("Id", func() object {
			return object{{"type", "string"}, {"format", "uuid"}, {"description", "A UUID, in lower case."}}
		})
	case rawJSON:
		return object{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.of(t.Elem())
	case reflect.Slice:
		return object{{"type", "array"}, {"items", s.of(t.Elem())}}
	case reflect.Bool:
		return object{{"type", "boolean"}}
	case reflect.Int, reflect.Int64:
		return object{{"type", "integer"}}
	case reflect.Uint8, reflect.Uint64:
		return object{{"type", "integer"}, {"minimum", 0}}
	case reflect.String:
		if e := s.src.enum(t); e != nil {
			return s.define(name(t), func() object { return s.enum(t, e) })
		}
		return object{{"type", "string"}}
	case reflect.Struct:
		return s.define(name(t), func() object { return s.structure(t) })
	default:
		panic(fmt.Sprintf("schema/gen: %s has no schema: say in types.go what %s is in JSON", t, t.Kind()))
	}
}

// name is what a type is called among the definitions. Types of the wire have their own names; those
// of records and of audit lines say whose they are.
func name(t reflect.Type) string {
	switch of := strings.TrimPrefix(t.PkgPath(), module); of {
	case "internal/record":
		return "Record" + t.Name()
	case "internal/audit":
		return "Audit" + t.Name()
	default:
		return t.Name()
	}
}

// enum is the schema of a named string type. Where a newer program may add values, the ones that are
// known are listed beside any other string.
func (s *schemas) enum(t reflect.Type, e *comments.Enum) object {
	values := make([]string, len(e.Values))
	var meanings object
	for i, v := range e.Values {
		values[i] = v.Value
		if v.Doc != "" {
			meanings = append(meanings, member{v.Value, s.src.text(t, comments.WithoutName(v.Constant, v.Doc))})
		}
	}
	o := described(object{}, s.src.about(t)).with("type", "string")
	if e.Closed() {
		o = o.with("enum", values)
	} else {
		o = o.with("anyOf", []object{
			{{"enum", values}},
			{{"type", "string"}, {"description", "Any other value: a newer approvald may say more than this one knows. It must never be read as permission."}},
		})
	}
	if len(meanings) > 0 {
		o = o.with("x-meanings", meanings)
	}
	return o
}

// described is a schema with a description in front, where there is one.
func described(o object, text string) object {
	if text == "" {
		return o
	}
	return append(object{{"description", text}}, o...)
}

// nullable is a schema that takes null as well.
func nullable(o object) object {
	if kind, ok := o.get("type").(string); ok {
		return o.with("type", []string{kind, "null"})
	}
	if len(o) == 0 {
		return o // takes anything
	}
	return object{{"anyOf", []object{o, {{"type", "null"}}}}}
}
