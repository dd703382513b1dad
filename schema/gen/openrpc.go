package main

import (
	"reflect"
	"slices"
	"strconv"

	"github.com/approvald/approvald/wire"
)

// openrpcVersion is the version of OpenRPC that the document is written in: the first in which a
// method without a result is a notification.
const openrpcVersion = "1.3.2"

// openrpcDocument describes the methods that the daemon serves in OpenRPC.
func openrpcDocument(src sources) object {
	s := newSchemas(src, "#/components/schemas/")
	errors := s.errors()
	var served, requests, notifications []object
	for _, m := range wire.Methods {
		switch m.Kind {
		case wire.ServerRequestMethod:
			requests = append(requests, s.described(m))
		case wire.NotificationMethod:
			notifications = append(notifications, s.described(m))
		default:
			served = append(served, s.described(m))
		}
	}
	s.define("RequestId", func() object { return object{{"type", []string{"string", "integer"}}} })
	return object{
		{"openrpc", openrpcVersion},
		{"info", object{
			{"title", "approvald"},
			{"description", "The approval authority for AI coding agents. The transport is one JSON object a line, over the pipes of approvald serve --stdio or over a unix socket; initialize and initialized come first."},
			{"version", strconv.Itoa(wire.ProtocolVersion)},
			{"license", object{{"name", "Apache-2.0"}}},
		}},
		{"methods", served},
		{"x-serverRequests", requests},
		{"x-notifications", notifications},
		{"x-errors", errors},
		{"components", object{{"schemas", s.defs.sorted()}, {"errors", openrpcErrors()}, {"tags", tags}}},
	}
}

// tags say what kind of method one is.
var tags = object{
	{"command", object{{"name", "command"}, {"description", "Changes state: it takes a commandId, and is answered when it is durable. Sent again it has the same answer."}}},
	{"query", object{{"name", "query"}, {"description", "Changes nothing that lasts."}}},
	{"clientNotification", object{{"name", "clientNotification"}, {"description", "Is not answered."}}},
	{"serverRequest", object{{"name", "serverRequest"}, {"description", "Sent by the daemon; the answer is a receipt and decides nothing."}}},
	{"notification", object{{"name", "notification"}, {"description", "Sent by the daemon; it wants no answer."}}},
}

// described is a method object.
func (s *schemas) described(m wire.MethodSpec) object {
	params := []object{}
	for _, p := range s.properties(reflect.TypeOf(m.Params)) {
		params = append(params, described(object{}, p.about).with("name", p.name).with("required", p.required).with("schema", p.schema))
	}
	o := object{
		{"name", m.Name}, {"summary", m.Summary},
		{"tags", []object{{{"$ref", "#/components/tags/" + string(m.Kind)}}}},
		{"paramStructure", "by-name"},
		{"params", params},
	}
	if text := s.src.about(reflect.TypeOf(m.Params)); text != "" {
		o = o.with("description", text)
	}
	if m.Result != nil {
		result := reflect.TypeOf(m.Result)
		o = o.with("result", described(object{}, s.src.about(result)).with("name", result.Name()).with("schema", s.of(result)))
	}
	if errors := s.mayAnswer(m); len(errors) > 0 {
		o = o.with("errors", errors)
	}
	return append(o, object{{"x-kind", m.Kind}, {"x-roles", m.Roles}, {"x-section", m.Section}, {"x-params", s.params(m)}}...)
}

// openrpcErrors are the error objects that methods refer to. They have no room for extensions: what
// else there is to say of an error is under x-errors.
func openrpcErrors() (errors object) {
	for _, e := range wire.Errors {
		errors = append(errors, member{e.Name, object{
			{"code", e.Code}, {"message", e.Meaning}, {"data", object{{"kind", e.Kind}, {"retryable", e.Retryable}}},
		}})
	}
	return errors
}

// mayAnswer refers to the errors that a request may be answered with: those of every request, and
// those about what its params can name.
func (s *schemas) mayAnswer(m wire.MethodSpec) (refs []object) {
	if m.Kind != wire.CommandMethod && m.Kind != wire.QueryMethod {
		return nil // nobody is told
	}
	params := s.properties(reflect.TypeOf(m.Params))
	names := func(member string) bool {
		return slices.ContainsFunc(params, func(p property) bool { return p.name == member })
	}
	for _, e := range wire.Errors {
		if slices.Contains(ofEveryRequest, e.Code) || slices.ContainsFunc(broughtBy[e.Code], names) {
			refs = append(refs, object{{"$ref", "#/components/errors/" + e.Name}})
		}
	}
	return refs
}

// ofEveryRequest are the errors that any request may be answered with.
var ofEveryRequest = []int{
	wire.CodeInvalidRequest, wire.CodeMethodNotFound, wire.CodeInvalidParams, wire.CodeInternal,
	wire.CodeOverloaded, wire.CodeInputTooLarge, wire.CodeRoleForbidden, wire.CodeShuttingDown,
}

// broughtBy are the errors that a request may be answered with because its params can name something:
// the members by which they do.
var broughtBy = map[int][]string{
	wire.CodeCommandRejected:             {"commandId"},
	wire.CodeSessionNotFound:             {"sessionId", "parentSessionId"},
	wire.CodeNotFound:                    {"cursor", "after", "grantId", "catalogId", "requests"},
	wire.CodeBackpressured:               {"rawArgs", "requests", "questions"},
	wire.CodeApprovalNotFound:            {"approvalId", "approvalIds", "items"},
	wire.CodeApprovalAlreadyResolved:     {"choiceId"},
	wire.CodeApprovalChoiceInvalid:       {"choiceId"},
	wire.CodeApprovalRequirementStale:    {"choiceId"},
	wire.CodeApprovalReviewerUnavailable: {"choiceId"},
	wire.CodeApprovalAlreadyConsumed:     {"argsDigest"},
	wire.CodeApprovalPending:             {"argsDigest", "items"},
	wire.CodeApprovalMismatch:            {"argsDigest", "items", "operation", "requests"},
	wire.CodeCatalogClosed:               {"catalogId", "requests"},
	wire.CodeUserInputNotFound:           {"userInputId", "userInputIds"},
	wire.CodeUserInputAlreadySettled:     {"userInputId"},
	wire.CodeUserInputAnswerInvalid:      {"answers"},
}
