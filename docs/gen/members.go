package main

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/approvald/approvald/internal/comments"
	"github.com/approvald/approvald/wire"
)

// table is a table in Markdown: a header, then rows.
func table(rows ...[]string) string {
	var b strings.Builder
	for i, row := range rows {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	return b.String()
}

// memberTable lists the members of a struct, those of an embedded one in its place.
func (d *document) memberTable(t reflect.Type) string {
	rows := d.memberRows(t)
	if len(rows) == 0 {
		return ""
	}
	return table(append([][]string{{"member", "type", ""}}, rows...)...)
}

func (d *document) memberRows(t reflect.Type) (rows [][]string) {
	for f := range t.Fields() {
		if f.Anonymous {
			rows = append(rows, d.memberRows(f.Type)...)
			continue
		}
		name, optional := comments.Member(f)
		if name == "" {
			continue
		}
		kind := d.typeOf(f.Type)
		switch {
		case optional:
			name += "?"
		case f.Type.Kind() == reflect.Pointer:
			kind += ` \| null`
		}
		rows = append(rows, []string{"`" + name + "`", kind, d.text(t, d.src.Field(t, f))})
	}
	return rows
}

// typeOf is a type in the words of JSON, with a link to where it is described.
func (d *document) typeOf(t reflect.Type) string {
	switch {
	case t == rawJSON:
		return "any"
	case t == reflect.TypeFor[wire.Time]():
		return "time"
	case t == reflect.TypeFor[wire.Empty]():
		return "`{}`"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.typeOf(t.Elem())
	case reflect.Slice:
		return d.typeOf(t.Elem()) + "[]"
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		if d.isEnum(t) {
			return d.link(t.Name())
		}
		return "string"
	case reflect.Struct:
		return d.link(t.Name())
	default:
		return "integer" // package wire has no other numbers
	}
}

// link is a link to where a type is described.
func (d *document) link(name string) string {
	heading, file := d.headings[name], protocol
	if heading == "" {
		heading = name
	}
	if errorTypes[name] {
		file = errorFile
	}
	return fmt.Sprintf("[%s](%s)", name, d.place(file, heading))
}

// place is the target of a link to a heading in one of the two files.
func (d *document) place(file, heading string) string {
	if file == d.file {
		file = ""
	}
	return file + "#" + anchor(heading)
}

// anchor is what a heading is called in a link.
func anchor(heading string) string {
	return strings.ToLower(strings.NewReplacer("/", "", " ", "-", ".", "", ",", "", "'", "").Replace(heading))
}
