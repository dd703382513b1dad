package main

import (
	"reflect"
	"slices"
	"strings"

	"github.com/approvald/approvald/wire"
)

// errors defines every error, and Error, which is any of them or one that a newer daemon may send. It
// gives the index of errors by their kind.
func (s *schemas) errors() (index object) {
	s.define("ErrorData", func() object { return s.structure(reflect.TypeFor[wire.ErrorData]()) })
	s.define("Error", func() object {
		o := s.errorOf(object{{"type", "integer"}}, s.ref("ErrorData"))
		var cases []object
		for _, e := range wire.Errors {
			cases = append(cases, object{
				{"if", object{{"properties", object{{"code", object{{"const", e.Code}}}}}, {"required", []string{"code"}}}},
				{"then", s.ref(errorName(e))},
			})
		}
		return described(o, "Why a request is refused. Branch on data.kind; the message is for people and may change.").with("allOf", cases)
	})
	for _, e := range wire.Errors {
		s.define(errorName(e), func() object { return s.error(e) })
		for _, kind := range kindsOf(e) {
			index = append(index, member{string(kind), object{
				{"code", e.Code}, {"kind", kind}, {"retryable", e.Retryable}, {"recorded", e.Recorded}, {"reserved", reserved(e)},
				{"description", e.Meaning}, {"data", dataOf(e)}, {"error", s.ref(errorName(e))},
			}})
		}
	}
	return index
}

// error is one error with the members of data that it carries.
func (s *schemas) error(e wire.ErrorSpec) object {
	data := s.properties(reflect.TypeFor[wire.ErrorData]())
	properties := object{
		{"kind", object{{"enum", kindsOf(e)}}},
		{"retryable", object{{"type", "boolean"}, {"default", e.Retryable}}},
	}
	required := []string{"kind", "retryable"}
	for _, name := range e.Data {
		name, optional := strings.CutSuffix(name, "?")
		i := slices.IndexFunc(data, func(p property) bool { return p.name == name })
		properties = append(properties, member{name, data[i].schema})
		if !optional {
			required = append(required, name)
		}
	}
	o := s.errorOf(object{{"const", e.Code}}, object{{"type", "object"}, {"properties", properties}, {"required", required}})
	return described(o, e.Meaning)
}

func (s *schemas) errorOf(code, data object) object {
	return object{
		{"type", "object"},
		{"properties", object{{"code", code}, {"message", object{{"type", "string"}}}, {"data", data}}},
		{"required", []string{"code", "message", "data"}},
	}
}

func errorName(e wire.ErrorSpec) string { return e.Name + "Error" }

// kindsOf are the kinds of a code: one, and for a frame that is no request two more.
func kindsOf(e wire.ErrorSpec) []wire.ErrorKind {
	if e.Code == wire.CodeInvalidRequest {
		return []wire.ErrorKind{e.Kind, wire.KindNotInitialized, wire.KindAlreadyInitialized}
	}
	return []wire.ErrorKind{e.Kind}
}

// dataOf are the members of data, those that are always there and those that may be.
func dataOf(e wire.ErrorSpec) object {
	always, sometimes := []string{"kind", "retryable"}, []string{}
	for _, name := range e.Data {
		if name, optional := strings.CutSuffix(name, "?"); optional {
			sometimes = append(sometimes, name)
		} else {
			always = append(always, name)
		}
	}
	return object{{"always", always}, {"sometimes", sometimes}}
}

// reserved reports whether this version sends the error at all.
func reserved(e wire.ErrorSpec) bool { return strings.Contains(e.Meaning, "Reserved") }
