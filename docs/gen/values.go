package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/approvald/approvald/wire"
)

// enumerations describes the sets of values that members have.
func (d *document) enumerations() string {
	parts := make([]string, len(d.enums))
	for i, name := range d.enums {
		e := d.src.enums[name]
		parts[i] = fmt.Sprintf("### %s\n\n%s\n\n%s", name, d.text(nil, withoutName(name, e.doc)), d.valuesOf(e))
	}
	return strings.TrimSpace(strings.Join(parts, "\n"))
}

// valuesOf lists the values, as a table where comments say something about them.
func (d *document) valuesOf(e *enumDoc) string {
	if slices.ContainsFunc(e.values, func(v valueDoc) bool { return v.doc != "" }) {
		return d.valueTable(e.values)
	}
	values := make([]string, len(e.values))
	for i, v := range e.values {
		values[i] = "`" + v.value + "`"
	}
	return strings.Join(values, ", ") + "\n"
}

func (d *document) valueTable(values []valueDoc) string {
	rows := [][]string{{"value", ""}}
	for _, v := range values {
		rows = append(rows, []string{"`" + v.value + "`", d.text(nil, withoutName(v.constant, v.doc))})
	}
	return table(rows...)
}

// reasons lists the values of the member "reason" of an error.
func (d *document) reasons() string { return d.valueTable(d.src.enums["Reason"].values) }

// errors is the table of errors, in the order of package wire.
func (d *document) errors() string {
	rows := [][]string{{"code", "kind", "retryable", "recorded", ""}}
	for _, e := range wire.Errors {
		rows = append(rows, []string{
			strconv.Itoa(e.Code), "`" + string(e.Kind) + "`", yes(e.Retryable), yes(e.Recorded), d.text(nil, e.Meaning),
		})
	}
	return table(rows...)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}
