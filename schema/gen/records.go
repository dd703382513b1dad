package main

import (
	"reflect"

	"github.com/approvald/approvald/internal/audit"
	"github.com/approvald/approvald/internal/record"
)

// records defines the body of every kind of record: the JSON that stands in the log behind the
// record's header. It gives the index of kinds by their name.
func (s *schemas) records() (index object) {
	for _, kind := range record.Kinds() {
		body, version := kind.New()
		index = append(index, member{kind.String(), object{
			{"number", kind}, {"version", version}, {"body", s.of(reflect.TypeOf(body))},
		}})
	}
	return index
}

// auditLine is what `approvald audit --json` prints of a record.
func (s *schemas) auditLine() object { return s.of(reflect.TypeFor[audit.Line]()) }
