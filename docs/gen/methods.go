package main

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/approvald/approvald/wire"
)

// kinds says who sends what, in the words of the table of methods.
var kinds = map[wire.MethodKind]string{
	wire.CommandMethod:            "command",
	wire.QueryMethod:              "query",
	wire.NotificationMethod:       "notification from the daemon",
	wire.ClientNotificationMethod: "notification to the daemon",
	wire.ServerRequestMethod:      "request from the daemon",
}

// overview is the table of all methods.
func (d *document) overview() string {
	rows := [][]string{{"method", "kind", "roles", "", "§"}}
	for _, m := range wire.Methods {
		rows = append(rows, []string{
			fmt.Sprintf("[%s](#%s)", m.Name, anchor(m.Name)), kinds[m.Kind], roles(m.Roles), m.Summary,
			fmt.Sprintf("[%s](#%s)", m.Section, anchor(d.sections[m.Section])),
		})
	}
	return table(rows...)
}

func roles(list []wire.Role) string {
	if len(list) == 3 {
		return "all"
	}
	names := make([]string, len(list))
	for i, r := range list {
		names[i] = string(r)
	}
	return strings.Join(names, ", ")
}

// methods describes the methods of a section, each under a heading of its own.
func (d *document) methods(section string) (string, error) {
	var b strings.Builder
	for _, m := range wire.Methods {
		if m.Section == section {
			d.describe(&b, m)
		}
	}
	if b.Len() == 0 {
		return "", fmt.Errorf("package wire has no method of section %s", section)
	}
	return strings.TrimSpace(b.String()), nil
}

func (d *document) describe(b *strings.Builder, m wire.MethodSpec) {
	fmt.Fprintf(b, "### %s\n\n%s *%s; %s.*\n\n", m.Name, m.Summary, kinds[m.Kind], caller(m))
	params, result := reflect.TypeOf(m.Params), reflect.TypeOf(m.Result)
	switch home := d.headings[params.Name()]; {
	case params.NumField() == 0:
		b.WriteString("No params.\n\n")
	case home != m.Name:
		fmt.Fprintf(b, "Params: those of [%s](#%s).\n\n", home, anchor(home))
	default:
		d.form(b, "Params", params)
	}
	switch {
	case result == nil:
	case result.NumField() == 0:
		b.WriteString("Result: `{}`.\n\n")
	default:
		d.form(b, "Result", result)
	}
}

func caller(m wire.MethodSpec) string {
	who := roles(m.Roles)
	switch m.Kind {
	case wire.NotificationMethod, wire.ServerRequestMethod:
		return "sent to " + who
	case wire.ClientNotificationMethod:
		return "sent by " + who
	default:
		return "called by " + who
	}
}

// form describes a struct: what its comment says, then its members.
func (d *document) form(b *strings.Builder, title string, t reflect.Type) {
	fmt.Fprintf(b, "**%s.** %s\n\n%s\n", title, d.about(t), d.memberTable(t))
}

// object describes one struct under a heading of its own.
func (d *document) object(name string) (string, error) {
	t, ok := d.types[name]
	if !ok {
		return "", fmt.Errorf("no struct %s is a part of the protocol", name)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n", name)
	fmt.Fprintf(&b, "%s\n\n%s", d.about(t), d.memberTable(t))
	return strings.TrimSpace(b.String()), nil
}

// others describes the structs that stand nowhere else.
func (d *document) others() (string, error) {
	var parts []string
	for _, t := range d.objects {
		part, err := d.object(t.Name())
		if err != nil {
			return "", err
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "\n\n"), nil
}
