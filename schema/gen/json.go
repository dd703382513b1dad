package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// object is a JSON object whose members keep their order, so that a document is the same bytes
// whenever it is generated.
type object []member

type member struct {
	name  string
	value any
}

// with is the object with one more member, or with another value of one that it has.
func (o object) with(name string, value any) object {
	for i := range o {
		if o[i].name == name {
			o = slices.Clone(o)
			o[i].value = value
			return o
		}
	}
	return append(slices.Clone(o), member{name, value})
}

// get is the value of a member; nil where there is none.
func (o object) get(name string) any {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// sorted is the object with its members in the order of their names.
func (o object) sorted() object {
	return slices.SortedFunc(slices.Values(o), func(a, b member) int { return strings.Compare(a.name, b.name) })
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := compact(m.name)
		if err != nil {
			return nil, err
		}
		value, err := compact(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func compact(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// encode is a document as it is committed: indented, with a newline at its end.
func encode(o object) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(o)
	return b.Bytes(), err
}
