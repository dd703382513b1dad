package comments

import (
	"reflect"
	"strings"
)

// Member is the name of a field on the wire, "" where it has none, and whether it may be absent.
func Member(f reflect.StructField) (name string, optional bool) {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name, strings.Contains(options, "omit")
}

// Field is what the comment on a field says, or, where there is none, what the member is everywhere.
func (s *Source) Field(t reflect.Type, f reflect.StructField) string {
	if d := s.Structs[t.Name()]; d != nil && d.Fields[f.Name] != "" {
		return WithoutName(f.Name, d.Fields[f.Name])
	}
	name, _ := Member(f)
	return everywhere[name]
}

// everywhere says what members are that many structs have, and that package wire explains once.
var everywhere = map[string]string{
	"commandId":           "minted by the client (protocol §3)",
	"sessionId":           "lower-case UUID",
	"approvalId":          "minted by the daemon",
	"toolCallId":          "the agent's name for the call",
	"turnId":              "the agent's turn; where it names none, the approvalId",
	"taskId":              "where the agent gives none, the approvalId",
	"itemId":              "where the agent gives none, the approvalId",
	"viewCursor":          "a place in the view (protocol §5)",
	"nextCursor":          "the `cursor` of the next page",
	"sourceRange":         "the records that the event comes from",
	"successorApprovalId": "set after a restart (protocol §8)",
	"argsDigest":          "of rawArgs (protocol §7)",
	"subjectDigest":       "of the published subject (protocol §7)",
	"subject":             "see DecodeSubject",
}
