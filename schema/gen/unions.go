package main

import (
	"reflect"
	"slices"

	"github.com/approvald/approvald/internal/comments"
	"github.com/approvald/approvald/wire"
)

// raw is the schema of a member that a struct keeps as the JSON that it was sent as. One that is not
// listed is any JSON.
func (s *schemas) raw(at string) object {
	switch at {
	case "ApprovalOpenParams.Subject", "ApprovalPrepareRequest.Subject":
		return s.openSubject()
	case "ApprovalRequest.Subject", "ApprovalUpdated.Subject", "RecordApprovalOpened.Subject", "AuditShown.Subject":
		return s.subject()
	case "ApprovalOpenParams.Operation", "ApprovalPrepareRequest.Operation", "ApprovalRequest.Operation",
		"RecordApprovalOpened.Operation", "AuditShown.Operation":
		return s.operation()
	case "RecordApprovalOpened.Menu", "RecordStageSettled.Menu", "RecordPolicyPersisted.Menu", "AuditShown.Menu":
		return s.of(reflect.TypeFor[[]wire.Choice]())
	case "RecordApprovalOpened.Policy", "AuditShown.Policy":
		return s.of(reflect.TypeFor[wire.PolicyAnswer]())
	case "RecordInputOpened.Questions", "AuditLine.Questions":
		return s.of(reflect.TypeFor[[]wire.Question]())
	case "RecordInputSettled.Answers", "AuditLine.Answers":
		return s.of(reflect.TypeFor[[]wire.Answer]())
	case "RecordInputSettled.Clarification", "AuditLine.Clarification":
		return s.of(reflect.TypeFor[wire.Clarification]())
	case "RecordIntake.Refusal", "AuditLine.Refusal":
		return s.ref("Error")
	case "RecordIntake.Ack", "ViewEvent.Params":
		return object{{"type", "object"}}
	default:
		return object{}
	}
}

// subject is a subject as it is published.
func (s *schemas) subject() object {
	return s.union("Subject", "What is to be approved, as approvald published it: one of five kinds, or a kind of the agent's own, which is carried as it is and must be shown as it is.",
		wire.ShellSubject{}, wire.FileSubject{}, wire.NetworkSubject{}, wire.ProcessSubject{}, wire.ToolSubject{})
}

// openSubject is a subject as an agent hands it in.
func (s *schemas) openSubject() object {
	return s.union("OpenSubject", "What is to be approved, as the agent hands it in: one of five kinds, which approvald inspects, or a kind of the agent's own.",
		wire.OpenShell{}, wire.OpenFile{}, wire.OpenNetwork{}, wire.OpenProcess{}, wire.OpenTool{})
}

func (s *schemas) operation() object {
	return s.union("Operation", "What is to be done with the subject, exactly. Two kinds are checked; any other is carried as it is.",
		wire.FileWriteOperation{}, wire.ShellUnrestrictedOperation{})
}

// kinds are the values of the member kind of the structs of a union.
var kinds = map[reflect.Type]string{
	reflect.TypeFor[wire.ShellSubject]():               string(wire.SubjectShell),
	reflect.TypeFor[wire.FileSubject]():                string(wire.SubjectFile),
	reflect.TypeFor[wire.NetworkSubject]():             string(wire.SubjectNetwork),
	reflect.TypeFor[wire.ProcessSubject]():             string(wire.SubjectProcess),
	reflect.TypeFor[wire.ToolSubject]():                string(wire.SubjectTool),
	reflect.TypeFor[wire.OpenShell]():                  string(wire.SubjectShell),
	reflect.TypeFor[wire.OpenFile]():                   string(wire.SubjectFile),
	reflect.TypeFor[wire.OpenNetwork]():                string(wire.SubjectNetwork),
	reflect.TypeFor[wire.OpenProcess]():                string(wire.SubjectProcess),
	reflect.TypeFor[wire.OpenTool]():                   string(wire.SubjectTool),
	reflect.TypeFor[wire.FileWriteOperation]():         wire.OperationFileWrite,
	reflect.TypeFor[wire.ShellUnrestrictedOperation](): wire.OperationShellUnrestricted,
}

// union is an object whose kind says which struct it is. Of a kind that is not among them it is any
// object.
func (s *schemas) union(name, about string, structs ...any) object {
	return s.define(name, func() object {
		var arms []object
		var known []string
		for _, v := range structs {
			t := reflect.TypeOf(v)
			known = append(known, kinds[t])
			arms = append(arms, s.of(t))
		}
		other := object{
			{"description", "Any other kind."}, {"type", "object"},
			{"properties", object{{"kind", object{{"type", "string"}, {"minLength", 1}, {"not", object{{"enum", known}}}}}}},
			{"required", []string{"kind"}},
			{"additionalProperties", true},
		}
		return object{{"description", about}, {"anyOf", append(arms, s.define("Other"+name, func() object { return other }))}}
	})
}

// viewEvent is an event of a page: a view notification without its envelope.
func (s *schemas) viewEvent(o object) object {
	var cases []object
	for _, m := range wire.Methods {
		if durable(m) {
			cases = append(cases, s.when("method", m.Name, "params", s.of(reflect.TypeOf(m.Params))))
		}
	}
	return o.with("allOf", cases)
}

// durable reports whether a method is an event that comes from a record, and so stands in pages.
func durable(m wire.MethodSpec) bool {
	return m.Kind == wire.NotificationMethod &&
		slices.ContainsFunc(reflect.VisibleFields(reflect.TypeOf(m.Params)), func(f reflect.StructField) bool {
			name, _ := comments.Member(f)
			return name == "sourceRange"
		})
}

// when says of which form a member is where another one has a value.
func (s *schemas) when(member1 string, value any, member2 string, schema object) object {
	return object{
		{"if", object{{"properties", object{{member1, object{{"const", value}}}}}, {"required", []string{member1}}}},
		{"then", object{{"properties", object{{member2, schema}}}}},
	}
}
