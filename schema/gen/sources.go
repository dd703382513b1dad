package main

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/approvald/approvald/internal/comments"
	"github.com/approvald/approvald/wire"
)

// sources are the comments of the packages whose types the schema describes, by import path.
type sources map[string]*comments.Source

const module = "github.com/approvald/approvald/"

func readSources(root string) (sources, error) {
	src := sources{}
	for _, dir := range []string{"wire", "internal/record", "internal/audit"} {
		of, err := comments.Parse(filepath.Join(root, dir))
		if err != nil {
			return nil, err
		}
		src[module+dir] = of
	}
	return src, nil
}

// enum is what is said of a named string type; nil where it is a string and nothing more.
func (src sources) enum(t reflect.Type) *comments.Enum {
	of := src[t.PkgPath()]
	if t.Kind() != reflect.String || of == nil || of.Enums[t.Name()] == nil || len(of.Enums[t.Name()].Values) == 0 {
		return nil
	}
	return of.Enums[t.Name()]
}

// about is what the comment on a type says of it, in the words of the wire.
func (src sources) about(t reflect.Type) string {
	of := src[t.PkgPath()]
	switch {
	case of == nil:
		return ""
	case of.Structs[t.Name()] != nil:
		return src.text(t, comments.WithoutName(t.Name(), of.Structs[t.Name()].Doc))
	case of.Enums[t.Name()] != nil:
		return src.text(t, comments.WithoutName(t.Name(), of.Enums[t.Name()].Doc))
	}
	return ""
}

// field is what is said of a member.
func (src sources) field(t reflect.Type, f reflect.StructField) string {
	of := src[t.PkgPath()]
	if of == nil {
		return ""
	}
	return src.text(t, of.Field(t, f))
}

// phrases are words of the comments that a reader of the schema does not know.
var phrases = strings.NewReplacer(
	"`", "",
	"see DecodeSubject", "",
	"one of the Open… structs or a kind of the agent's own", "a subject as handed in",
	"one of the view event structs of this package, or of a method unknown to it", "the params of the notification",
	"the Meaning of its row in [Errors]", "the description of its error",
)

// text tells a comment on a type in the words of the wire.
func (src sources) text(t reflect.Type, comment string) string {
	same := func(word string) string { return word }
	return src[t.PkgPath()].Text(comments.Words{
		Phrases: phrases,
		Idioms:  map[string]string{"nil": "absent", "Empty": "{}"},
		Members: wireMembers,
		Name:    same, Method: same, Type: same,
		Section: func(sign, _ string) string { return "protocol " + sign },
	}, t, comment)
}

// wireMembers are the names on the wire by those in Go.
var wireMembers = func() map[string]string {
	names := map[string]string{}
	var meet func(reflect.Type)
	meet = func(t reflect.Type) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			return
		}
		for f := range t.Fields() {
			if name, _ := comments.Member(f); name != "" {
				names[f.Name] = name
			}
			meet(f.Type)
		}
	}
	for _, m := range wire.Methods {
		for _, v := range slices.DeleteFunc([]any{m.Params, m.Result}, func(v any) bool { return v == nil }) {
			meet(reflect.TypeOf(v))
		}
	}
	return names
}()
