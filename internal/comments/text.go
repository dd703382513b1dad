package comments

import (
	"reflect"
	"regexp"
	"strings"
)

var (
	// elsewhere are references to pages that a reader of the documents does not have.
	elsewhere = regexp.MustCompile(` \((?:msp-facts|policy|seed|design|perf)\b[^)]*\)|, msp-facts §[\d.]+`)
	section   = regexp.MustCompile(`protocol (§(\d+))`)
	// goName is a name as Go spells it, or a link of a comment, or what Markdown would swallow.
	goName = regexp.MustCompile(`\[?\b[A-Z][A-Za-z]+\b\]?|\bnil\b|<`)
	// wireName is a method's name, or one in camel or snake case.
	wireName = regexp.MustCompile(`\b(?:[a-z][a-zA-Z]*/[a-zA-Z]+|[a-z]+(?:[A-Z]\w*(?:\.\w+)*|(?:_[a-z]+)+))\b`)
)

// Words says how the text of a comment is told to readers who do not know Go.
type Words struct {
	// Phrases are replaced first, and Idioms where they stand as a word of their own.
	Phrases *strings.Replacer
	Idioms  map[string]string
	// Members are the names on the wire by those in Go, of whatever struct.
	Members map[string]string
	// Name writes a member or a value, Method what looks like a method's name, Type what a comment
	// links to, and Section a reference to the protocol by its sign and its number.
	Name    func(word string) string
	Method  func(word string) string
	Type    func(name string) string
	Section func(sign, number string) string
}

// Text tells a comment in those words: names of Go become names on the wire. in is the struct that
// the comment is on; nil for none.
func (s *Source) Text(w Words, in reflect.Type, comment string) string {
	comment = w.Phrases.Replace(elsewhere.ReplaceAllString(comment, ""))
	comment = wireName.ReplaceAllStringFunc(comment, func(word string) string {
		if strings.Contains(word, "/") {
			return w.Method(word)
		}
		return w.Name(word)
	})
	comment = goName.ReplaceAllStringFunc(comment, func(word string) string { return s.name(w, in, word) })
	return section.ReplaceAllStringFunc(comment, func(ref string) string {
		m := section.FindStringSubmatch(ref)
		return w.Section(m[1], m[2])
	})
}

func (s *Source) name(w Words, in reflect.Type, word string) string {
	name := strings.Trim(word, "[]")
	if to, ok := w.Idioms[name]; ok {
		return to
	}
	if in != nil && in.Kind() == reflect.Struct {
		if f, ok := in.FieldByName(name); ok {
			if member, _ := Member(f); member != "" {
				return w.Name(member)
			}
		}
	}
	if value, ok := s.Consts[name]; ok {
		return w.Name(value)
	}
	if member, ok := w.Members[name]; ok && strings.ContainsAny(name[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		return w.Name(member)
	}
	if name != word {
		return w.Type(name)
	}
	return word
}

// WithoutName turns "Choice is one row of a menu." into "One row of a menu.": the heading, or the
// place in a schema, has named it.
func WithoutName(name, comment string) string {
	rest, found := strings.CutPrefix(comment, name+" ")
	if !found {
		return comment
	}
	rest = strings.TrimPrefix(rest, "is ")
	return strings.ToUpper(rest[:1]) + rest[1:]
}
