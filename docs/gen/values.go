package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/approvald/approvald/internal/comments"
	"github.com/approvald/approvald/wire"
)

// enumerations describes the sets of values that members have.
func (d *document) enumerations() string {
	parts := make([]string, len(d.enums))
	for i, name := range d.enums {
		e := d.src.Enums[name]
		parts[i] = fmt.Sprintf("### %s\n\n%s\n\n%s", name, d.text(nil, comments.WithoutName(name, e.Doc)), d.valuesOf(e))
	}
	return strings.TrimSpace(strings.Join(parts, "\n"))
}

// valuesOf lists the values, as a table where comments say something about them.
func (d *document) valuesOf(e *comments.Enum) string {
	if slices.ContainsFunc(e.Values, func(v comments.Value) bool { return v.Doc != "" }) {
		return d.valueTable(e.Values)
	}
	values := make([]string, len(e.Values))
	for i, v := range e.Values {
		values[i] = "`" + v.Value + "`"
	}
	return strings.Join(values, ", ") + "\n"
}

func (d *document) valueTable(values []comments.Value) string {
	rows := [][]string{{"value", ""}}
	for _, v := range values {
		rows = append(rows, []string{"`" + v.Value + "`", d.text(nil, comments.WithoutName(v.Constant, v.Doc))})
	}
	return table(rows...)
}

// reasons lists the values of the member "reason" of an error.
func (d *document) reasons() string { return d.valueTable(d.src.Enums["Reason"].Values) }

// errors is the table of errors, in the order of package wire.
func (d *document) errors() string {
	rows := [][]string{{"code", "kind", "retryable", "recorded", "data", ""}}
	for _, e := range wire.Errors {
		rows = append(rows, []string{
			strconv.Itoa(e.Code), "`" + string(e.Kind) + "`", yes(e.Retryable), yes(e.Recorded), carried(e.Data), d.text(nil, e.Meaning),
		})
	}
	return table(rows...)
}

// carried lists members of data.
func carried(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "`" + strings.Join(names, "`, `") + "`"
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}
