package main

import (
	"reflect"
	"strings"

	"github.com/approvald/approvald/internal/comments"
	"github.com/approvald/approvald/wire"
)

// phrases are words of the comments that only a reader of the Go package understands.
var phrases = strings.NewReplacer(
	"one of the Open… structs", "one of the [subjects as handed in](#subjects-as-handed-in)",
	"one of the view event structs of this package, or of a method unknown to it", "the params of the notification",
	"(the table of protocol §6)", "(see the table in protocol §6)",
	"the Meaning of its row in [Errors]", "the table of errors",
)

// idioms are such words, one by one.
var idioms = map[string]string{
	"DecodeSubject": "[subjects](#subjects)",
	"Empty":         "`{}`",
	"nil":           "absent",
	"<":             "&lt;",
}

// about is what the comment on a struct says of it.
func (d *document) about(t reflect.Type) string {
	if s := d.src.Structs[t.Name()]; s != nil {
		return d.text(t, comments.WithoutName(t.Name(), s.Doc))
	}
	return ""
}

// text makes Markdown of a comment: names of Go become the names on the wire, and what has a place
// in the documents becomes a link to it. in is the struct that the comment is on; nil for none.
func (d *document) text(in reflect.Type, comment string) string {
	return d.src.Text(comments.Words{
		Phrases: phrases, Idioms: idioms, Members: d.members,
		Name:   func(word string) string { return "`" + word + "`" },
		Method: d.method,
		Type:   d.link,
		Section: func(sign, number string) string {
			return "[" + sign + "](" + d.place(protocol, d.sections[number]) + ")"
		},
	}, in, comment)
}

// method is a link to a method; what only looks like one is left as it is.
func (d *document) method(word string) string {
	if _, ok := wire.LookupMethod(word); ok {
		return "[" + word + "](" + d.place(protocol, word) + ")"
	}
	return word
}
