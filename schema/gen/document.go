package main

import (
	"reflect"

	"github.com/approvald/approvald/wire"
)

const about = `What approvald and its clients send each other, what is in its log, and what approvald audit --json prints. As a schema it takes every frame of either side. methods, notifications, clientNotifications and serverRequests say of which form params and results are; errors what each kind carries; records what the body of each kind of record is; auditLine what a line of approvald audit --json is. An enumeration with a second arm "string" is open: a client keeps a value that it does not know and never reads it as permission. Members that are not listed may come at any time and are to be ignored. docs/PROTOCOL.md is the same for people, with the rules that no schema can hold.`

// schemaDocument is the JSON Schema.
func schemaDocument(src sources) object {
	s := newSchemas(src, "#/$defs/")
	frames := s.frames()
	s.define("Role", func() object { return s.of(reflect.TypeFor[wire.Role]()) })
	errors, records, line := s.errors(), s.records(), s.auditLine()
	methods := func(kinds ...wire.MethodKind) (index object) {
		for _, m := range wire.Methods {
			for _, kind := range kinds {
				if m.Kind == kind {
					index = append(index, member{m.Name, s.method(m)})
				}
			}
		}
		return index
	}
	o := object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"$id", "urn:approvald:schema"},
		{"title", "approvald"},
		{"description", about},
		{"protocol", wire.ProtocolVersion},
		{"anyOf", frames},
		{"methods", methods(wire.CommandMethod, wire.QueryMethod)},
		{"clientNotifications", methods(wire.ClientNotificationMethod)},
		{"serverRequests", methods(wire.ServerRequestMethod)},
		{"notifications", methods(wire.NotificationMethod)},
		{"errors", errors},
		{"records", records},
		{"auditLine", line},
	}
	return o.with("$defs", s.defs.sorted())
}

// method is the entry of a method in an index.
func (s *schemas) method(m wire.MethodSpec) object {
	o := object{{"kind", m.Kind}, {"summary", m.Summary}, {"roles", m.Roles}, {"section", m.Section}, {"params", s.params(m)}}
	if m.Kind == wire.NotificationMethod {
		o = o.with("durable", durable(m))
	}
	if m.Result != nil {
		o = o.with("result", s.of(reflect.TypeOf(m.Result)))
	}
	return o
}
