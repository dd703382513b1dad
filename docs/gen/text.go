package main

import (
	"reflect"
	"regexp"
	"strings"

	"github.com/approvald/approvald/wire"
)

var (
	// elsewhere are references to pages that a reader of the documents does not have.
	elsewhere = regexp.MustCompile(` \((?:msp-facts|policy|seed|design|perf)\b[^)]*\)`)
	section   = regexp.MustCompile(`protocol (§(\d+))`)
	// goName is a name as Go spells it, or a link of a comment, or what Markdown would swallow.
	goName = regexp.MustCompile(`\[?\b[A-Z][A-Za-z]+\b\]?|\bnil\b|<`)
	// wireName is a method's name, or one in camel or snake case.
	wireName = regexp.MustCompile(`\b(?:[a-z][a-zA-Z]*/[a-zA-Z]+|[a-z]+(?:[A-Z]\w*(?:\.\w+)*|(?:_[a-z]+)+))\b`)
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
	if s := d.src.structs[t.Name()]; s != nil {
		return d.text(t, withoutName(t.Name(), s.doc))
	}
	return ""
}

// withoutName turns "Choice is one row of a menu." into "One row of a menu.": the heading has named
// it.
func withoutName(name, comment string) string {
	rest, found := strings.CutPrefix(comment, name+" ")
	if !found {
		return comment
	}
	rest = strings.TrimPrefix(rest, "is ")
	return strings.ToUpper(rest[:1]) + rest[1:]
}

// text makes Markdown of a comment: names of Go become the names on the wire, and what has a place
// in the documents becomes a link to it. in is the struct that the comment is on; nil for none.
func (d *document) text(in reflect.Type, comment string) string {
	comment = phrases.Replace(elsewhere.ReplaceAllString(comment, ""))
	comment = wireName.ReplaceAllStringFunc(comment, d.wireName)
	comment = goName.ReplaceAllStringFunc(comment, func(w string) string { return d.goName(in, w) })
	return section.ReplaceAllStringFunc(comment, func(ref string) string {
		m := section.FindStringSubmatch(ref)
		return "[" + m[1] + "](" + d.place(protocol, d.sections[m[2]]) + ")"
	})
}

func (d *document) wireName(w string) string {
	if !strings.Contains(w, "/") {
		return "`" + w + "`"
	}
	if _, ok := wire.LookupMethod(w); ok {
		return "[" + w + "](" + d.place(protocol, w) + ")"
	}
	return w
}

func (d *document) goName(in reflect.Type, w string) string {
	name := strings.Trim(w, "[]")
	if to, ok := idioms[name]; ok {
		return to
	}
	if in != nil {
		if f, ok := in.FieldByName(name); ok {
			if member, _ := memberName(f); member != "" {
				return "`" + member + "`"
			}
		}
	}
	if value, ok := d.src.consts[name]; ok {
		return "`" + value + "`"
	}
	if member, ok := d.members[name]; ok && strings.ContainsAny(name[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		return "`" + member + "`"
	}
	if name != w {
		return d.link(name)
	}
	return w
}
