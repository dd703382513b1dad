package main

import (
	"reflect"
	"strings"

	"github.com/approvald/approvald/internal/comments"
	"github.com/approvald/approvald/wire"
)

// property is a member of a struct.
type property struct {
	name     string
	about    string
	schema   object
	required bool
}

// structure is the schema of a struct, those members of an embedded one in its place. Members that it
// does not name are permitted everywhere: both sides ignore what they do not know (protocol §1).
func (s *schemas) structure(t reflect.Type) object {
	properties, required := object{}, []string{}
	for _, p := range s.properties(t) {
		properties = append(properties, member{p.name, described(p.schema, p.about)})
		if p.required {
			required = append(required, p.name)
		}
	}
	o := described(object{{"type", "object"}}, s.src.about(t)).with("properties", properties)
	if len(required) > 0 {
		o = o.with("required", required)
	}
	if t == reflect.TypeFor[wire.ViewEvent]() {
		o = s.viewEvent(o)
	}
	return append(o, choices[t.Name()]...)
}

// properties are the members of a struct, in their order on the wire.
func (s *schemas) properties(t reflect.Type) (out []property) {
	for f := range t.Fields() {
		if f.Anonymous {
			out = append(out, s.properties(f.Type)...)
			continue
		}
		name, optional := comments.Member(f)
		if name == "" {
			continue // of a line's own, not of what is printed
		}
		p := property{name: name, required: !optional, schema: s.member(t, f), about: s.src.field(t, f)}
		if mayBeNull(t, f, optional) {
			p.schema = nullable(p.schema)
		}
		out = append(out, p)
	}
	return out
}

// member is the schema of a field: that of its type, with what the contract says of this member.
func (s *schemas) member(t reflect.Type, f reflect.StructField) object {
	at := t.Name() + "." + f.Name
	if t.PkgPath() != module+"wire" {
		at = name(t) + "." + f.Name
	}
	o := s.of(f.Type)
	if f.Type == rawJSON {
		o = s.raw(at)
	}
	switch name, _ := comments.Member(f); {
	case name == "commandId" && isParams[t]:
		o = s.define("CommandId", commandID)
	case name == "kind" && kinds[t] != "":
		o = object{{"const", kinds[t]}}
	}
	return append(o, bounds[at]...)
}

// mayBeNull reports whether null stands for a member that has no value: where it may not be left out,
// and in params, where it is the same as leaving it out (protocol §3).
func mayBeNull(t reflect.Type, f reflect.StructField, optional bool) bool {
	switch {
	case f.Type == rawJSON:
		return optional && isParams[t]
	case f.Type.Kind() == reflect.Pointer:
		return !optional || isParams[t]
	case f.Type.Kind() == reflect.Slice:
		return !optional && !strings.HasPrefix(f.Type.Name(), "List[")
	default:
		return false
	}
}

// isParams holds the structs of the params that clients send.
var isParams = func() map[reflect.Type]bool {
	out := map[reflect.Type]bool{}
	for _, m := range wire.Methods {
		if fromClient(m) {
			out[reflect.TypeOf(m.Params)] = true
		}
	}
	return out
}()

// fromClient reports whether it is a client that sends the method.
func fromClient(m wire.MethodSpec) bool {
	return m.Kind == wire.CommandMethod || m.Kind == wire.QueryMethod || m.Kind == wire.ClientNotificationMethod
}

func commandID() object {
	return object{
		{"description", "Minted by the client, once for each command: a lower-case UUID of version 7 (5 and 8 where it is derived), or an upper-case ULID. The same commandId with the same payload has the same answer for ever (protocol §3)."},
		{"type", "string"},
		{"anyOf", []object{
			{{"pattern", "^[0-9a-f]{8}-[0-9a-f]{4}-[578][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"}},
			{{"pattern", "^[0-7][0-9A-HJKMNP-TV-Z]{25}$"}},
		}},
	}
}
