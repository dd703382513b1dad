package main

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"

	"github.com/approvald/approvald/internal/comments"
	"github.com/approvald/approvald/wire"
)

// The two documents, which link to each other by these names.
const (
	protocol  = "PROTOCOL.md"
	errorFile = "ERRORS.md"
)

// errorTypes are the types that are described in errorFile; all others are in protocol.
var errorTypes = map[string]bool{"ErrorData": true, "ErrorKind": true, "Reason": true, "ResolutionNotice": true, "SettlementNotice": true}

// subjects are the forms of the members "subject" and "operation", which the structs keep as raw JSON:
// a subject as an agent hands it in, and as it is published.
var subjects = []any{
	wire.OpenShell{}, wire.OpenFile{}, wire.OpenNetwork{}, wire.OpenProcess{}, wire.OpenTool{},
	wire.ShellSubject{}, wire.FileSubject{}, wire.NetworkSubject{}, wire.ProcessSubject{}, wire.ToolSubject{},
	wire.FileWriteOperation{}, wire.ShellUnrestrictedOperation{},
}

// document is one of the two files in the making. It knows where each type of package wire is
// described.
type document struct {
	file     string
	src      *comments.Source
	sections map[string]string // headings of protocol by their number
	// types are those that may be asked for by name; headings are where they stand, where that is
	// not under their own name: the params of a method are under the method's.
	types    map[string]reflect.Type
	headings map[string]string
	members  map[string]string // names on the wire by those in Go
	// objects are the structs that members have and that stand nowhere else, and enums the open
	// enumerations, both in the order in which they are met.
	objects []reflect.Type
	enums   []string
}

func newDocument(file string, src *comments.Source, outline string) *document {
	d := &document{
		file: file, src: src, sections: sections(outline),
		types: map[string]reflect.Type{}, members: map[string]string{},
		headings: map[string]string{"ErrorKind": "Errors", "Reason": "Reasons"},
	}
	for _, m := range wire.Methods {
		if t := reflect.TypeOf(m.Params); d.headings[t.Name()] == "" {
			d.headings[t.Name()] = m.Name
		}
	}
	for _, s := range subjects {
		d.types[reflect.TypeOf(s).Name()] = reflect.TypeOf(s)
	}
	for _, m := range wire.Methods {
		d.meet(reflect.TypeOf(m.Params))
		d.meet(reflect.TypeOf(m.Result))
	}
	for _, s := range subjects {
		d.meet(reflect.TypeOf(s))
	}
	for _, t := range []reflect.Type{reflect.TypeFor[wire.ErrorData](), reflect.TypeFor[wire.ResolutionNotice](), reflect.TypeFor[wire.SettlementNotice]()} {
		d.types[t.Name()] = t
	}
	return d
}

// meet notes the types that the members of a struct have.
func (d *document) meet(t reflect.Type) {
	if t == nil {
		return
	}
	for f := range t.Fields() {
		d.members[f.Name], _ = comments.Member(f)
		of := f.Type
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice && of != rawJSON {
			of = of.Elem()
		}
		switch {
		case f.Anonymous:
			d.meet(of)
		case d.isEnum(of) && !slices.Contains(d.enums, of.Name()):
			d.enums = append(d.enums, of.Name())
		case of.Kind() == reflect.Struct && d.types[of.Name()] == nil && d.headings[of.Name()] == "":
			d.types[of.Name()] = of
			d.objects = append(d.objects, of)
			d.meet(of)
		}
	}
}

func (d *document) isEnum(t reflect.Type) bool {
	e := d.src.Enums[t.Name()]
	return t.Kind() == reflect.String && e != nil && len(e.Values) > 0
}

var rawJSON = reflect.TypeFor[json.RawMessage]()

var numbered = regexp.MustCompile(`(?m)^## ((\d+)\. .*)$`)

// sections finds the numbered headings of a template.
func sections(outline string) map[string]string {
	out := map[string]string{}
	for _, m := range numbered.FindAllStringSubmatch(outline, -1) {
		out[m[2]] = m[1]
	}
	return out
}
