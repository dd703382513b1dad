package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// width is how long a line of shown JSON may be, where it can be broken.
const width = 100

// layout breaks one line of JSON into several, its members in their order. What fits shares a line;
// an object or array that does not is broken in its turn.
func layout(text string) string { return layoutAt(json.RawMessage(text), "", 0) }

// layoutAt lays out a value that begins at column and whose further lines are indented.
func layoutAt(v json.RawMessage, indent string, column int) string {
	if column+len(v) <= width || v[0] != '{' && v[0] != '[' {
		return string(v)
	}
	inner := indent + "  "
	var lines []string
	room := 0 // left on the last line
	for _, it := range items(v) {
		text := it.name + layoutAt(it.value, inner, len(inner)+len(it.name)+len(","))
		broken := strings.Contains(text, "\n")
		if needed := len(text) + len(", "); !broken && needed <= room {
			lines[len(lines)-1] += ", " + text
			room -= needed
			continue
		}
		lines = append(lines, inner+text)
		room = width - len(inner) - len(text) - len(",")
		if broken {
			room = 0
		}
	}
	return string(v[0]) + "\n" + strings.Join(lines, ",\n") + "\n" + indent + string(v[len(v)-1])
}

// item is an element of an array, or a member of an object with its quoted name and colon.
type item struct {
	name  string
	value json.RawMessage
}

// items reads an array or an object that is valid, as every recorded frame is.
func items(v json.RawMessage) (out []item) {
	d := json.NewDecoder(strings.NewReader(string(v)))
	_, _ = d.Token()
	for d.More() {
		var it item
		if v[0] == '{' {
			start := d.InputOffset()
			_, _ = d.Token()
			it.name = strings.TrimLeft(string(v[start:d.InputOffset()]), ", ") + ":"
		}
		if err := d.Decode(&it.value); err != nil {
			panic(fmt.Sprintf("a recorded frame is no JSON: %v", err))
		}
		out = append(out, it)
	}
	return out
}
