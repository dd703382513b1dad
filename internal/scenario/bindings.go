package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// bindings are the placeholders of a scenario and what they stand for so far.
type bindings struct {
	names  []string          // quoted, sorted
	values map[string]string // JSON strings, quotes included, by quoted name
}

func newBindings(vars map[string]string) *bindings {
	b := &bindings{values: make(map[string]string)}
	for name := range vars {
		b.names = append(b.names, `"`+name+`"`)
	}
	slices.Sort(b.names)
	return b
}

// expand replaces every placeholder of a client's frame.
func (b *bindings) expand(raw string) (string, error) {
	out := b.known(raw)
	if _, name := b.unbound(out); name != "" {
		return "", fmt.Errorf("the placeholder %s is used before the daemon has said what it stands for", name)
	}
	return out, nil
}

// match compares a recorded server line with what was said, and binds the placeholders that it
// uses first. expanded is the recorded line with the bound ones replaced.
func (b *bindings) match(want, got string) (expanded string, same bool) {
	expanded = b.known(want)
	for {
		at, name := b.unbound(expanded)
		if name == "" || !strings.HasPrefix(got, expanded[:at]) {
			return expanded, expanded == got
		}
		value, ok := leadingString(got[at:])
		if !ok {
			return expanded, false
		}
		b.values[name] = value
		expanded = b.known(expanded)
	}
}

// collapse puts the placeholders back into what was said.
func (b *bindings) collapse(got string) string {
	for _, name := range b.names {
		if value, ok := b.values[name]; ok {
			got = strings.ReplaceAll(got, value, name)
		}
	}
	return got
}

// known replaces the placeholders that are bound.
func (b *bindings) known(raw string) string {
	for _, name := range b.names {
		if value, ok := b.values[name]; ok {
			raw = strings.ReplaceAll(raw, name, value)
		}
	}
	return raw
}

// unbound finds the first placeholder that is not bound.
func (b *bindings) unbound(raw string) (at int, name string) {
	for _, n := range b.names {
		if _, ok := b.values[n]; ok {
			continue
		}
		if i := strings.Index(raw, n); i >= 0 && (name == "" || i < at) {
			at, name = i, n
		}
	}
	return at, name
}

// leadingString cuts the JSON string that a text begins with, quotes included.
func leadingString(text string) (string, bool) {
	if !strings.HasPrefix(text, `"`) {
		return "", false
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return text[:i+1], true
		}
	}
	return "", false
}
