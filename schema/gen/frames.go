package main

import (
	"reflect"

	"github.com/approvald/approvald/wire"
)

// frames defines the four shapes that a line has (protocol §1). With a method that is known the
// params are those of the method; of another one they are any object.
func (s *schemas) frames() []object {
	s.define("RequestId", func() object {
		return object{
			{"description", "Chosen by who asks, and given back byte for byte. Requests of the daemon count from 1."},
			{"type", []string{"string", "integer"}},
		}
	})
	var requests, notifications []object
	for _, m := range wire.Methods {
		params := s.when("method", m.Name, "params", s.params(m))
		if s.needsParams(m) {
			params = object{params[0], {"then", params.get("then").(object).with("required", []string{"params"})}} //nolint:errcheck,forcetypeassert // made by when
		}
		if m.Kind == wire.NotificationMethod || m.Kind == wire.ClientNotificationMethod {
			notifications = append(notifications, params)
		} else {
			requests = append(requests, params)
		}
	}
	id, method, params := member{"id", s.ref("RequestId")}, member{"method", object{{"type", "string"}}}, member{"params", object{{"type", "object"}}}
	return []object{
		s.frame("Request", "Wants an answer, from either side.", []string{"id", "method"}, object{id, method, params}, requests),
		s.frame("Notification", "Wants no answer, from either side.", []string{"method"},
			object{method, params, {"emittedAtMs", object{{"description", "When the record was made, in Unix milliseconds."}, {"type", "integer"}}}}, notifications),
		s.frame("Response", "Answers a request. The form of result is that of the request's method, under methods and serverRequests.",
			[]string{"id", "result"}, object{id, {"result", object{{"type", "object"}}}}, nil),
		s.frame("ErrorResponse", "Refuses a request. The id is null where none could be read; a number that is none is given back as it was.",
			[]string{"id", "error"}, object{{"id", object{{"type", []string{"string", "number", "null"}}}}, {"error", s.ref("Error")}}, nil),
	}
}

// frame defines one shape. A frame that has what only another shape has is not of this one.
func (s *schemas) frame(name, about string, required []string, members object, cases []object) object {
	return s.define(name, func() object {
		others := object{}
		for _, other := range []string{"id", "method", "result", "error"} {
			if members.get(other) == nil {
				others = append(others, member{other, false})
			}
		}
		members = append(object{{"jsonrpc", object{{"const", wire.Version}}}}, members...)
		o := object{
			{"description", about}, {"type", "object"}, {"properties", append(members, others...)},
			{"required", append([]string{"jsonrpc"}, required...)},
		}
		if cases != nil {
			o = o.with("allOf", cases)
		}
		return o
	})
}

func (s *schemas) params(m wire.MethodSpec) object { return s.of(reflect.TypeOf(m.Params)) }

// needsParams reports whether a frame of the method must have params.
func (s *schemas) needsParams(m wire.MethodSpec) bool {
	for _, p := range s.properties(reflect.TypeOf(m.Params)) {
		if p.required {
			return true
		}
	}
	return false
}
