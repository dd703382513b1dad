// Package members reads JSON objects by their tokens: strictly, as package canon does, and without
// the tables that decoding into a struct makes first, which are a good part of the time of a hook
// that waits for nobody.
package members

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/approvald/approvald/internal/canon"
)

// Object is a JSON object by its members, each as it was written. One that is null is absent.
type Object map[string]jsontext.Value

// Read reads strictly: a name twice, text that is not UTF-8 and what lies too deep are
// errors, and so is anything behind the object.
func Read(text []byte) (Object, error) {
	o, err := read(text)
	if err != nil {
		err = errors.New(strings.TrimPrefix(err.Error(), "jsontext: "))
	}
	return o, err
}

func read(text []byte) (Object, error) {
	if canon.TooDeep(text) {
		return nil, fmt.Errorf("it is nested more than %d levels deep", canon.MaxDepth)
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(text)) // a Buffer is read in place
	if d.PeekKind() != '{' {
		if _, err := d.ReadValue(); err != nil {
			return nil, err
		}
		return nil, errors.New("it is no JSON object")
	}
	_, _ = d.ReadToken() // it was seen
	o := make(Object)
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return o, err
		}
		member := name.String() // before the next token takes its place
		value, err := d.ReadValue()
		if err != nil {
			return o, err
		}
		if value.Kind() != 'n' { // null is as good as absent
			o[member] = value.Clone()
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return o, err
	}
	if rest := bytes.TrimSpace(text[d.InputOffset():]); len(rest) > 0 {
		return o, errors.New("something follows the object")
	}
	return o, nil
}

// Reader takes members of an object, and keeps what was wrong with them.
type Reader struct {
	Object

	Err error
}

// ReaderOf reads a text that is to be an object.
func ReaderOf(text []byte) *Reader {
	o, err := Read(text)
	return &Reader{o, err}
}

// Text is a member that is a text, "" where it is absent.
func (r *Reader) Text(name string) string {
	value, there := r.Object[name]
	if !there {
		return ""
	}
	if value.Kind() != '"' {
		r.Fail(name, "text", value)
		return ""
	}
	text, err := jsontext.AppendUnquote(nil, value)
	if err != nil {
		r.Err = errors.Join(r.Err, err)
	}
	return string(text)
}

// Yes is a member that is true or false, false where it is absent.
func (r *Reader) Yes(name string) bool {
	value, there := r.Object[name]
	if kind := value.Kind(); there && kind != 't' && kind != 'f' {
		r.Fail(name, "true or false", value)
	}
	return there && value.Kind() == 't'
}

// Inner is a member that is an object; one that is absent has no members. What is wrong with it is
// wrong with r as well.
func (r *Reader) Inner(name string) *Reader {
	value, there := r.Object[name]
	if !there {
		return &Reader{}
	}
	inner := ReaderOf(value)
	if inner.Err != nil {
		r.Err = errors.Join(r.Err, fmt.Errorf("%q: %w", name, inner.Err))
	}
	return inner
}

// List are the elements of a member that is a list of objects.
func (r *Reader) List(name string) (all []*Reader) {
	value, there := r.Object[name]
	if !there {
		return nil
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(value))
	if d.PeekKind() != '[' {
		r.Fail(name, "a list", value)
		return nil
	}
	_, _ = d.ReadToken() // it was seen
	for d.PeekKind() != ']' {
		element, err := d.ReadValue()
		if err != nil {
			r.Err = errors.Join(r.Err, err)
			return nil
		}
		inner := ReaderOf(element)
		r.Err = errors.Join(r.Err, inner.Err)
		all = append(all, inner)
	}
	return all
}

// Fail notes that a member is not what it must be.
func (r *Reader) Fail(name, want string, got jsontext.Value) {
	if r.Err == nil {
		r.Err = fmt.Errorf("%q must be %s, not %s", name, want, kinds[got.Kind()])
	}
}

var kinds = map[jsontext.Kind]string{'"': "a text", '0': "a number", 't': "true", 'f': "false", '{': "an object", '[': "a list"}
