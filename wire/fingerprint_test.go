package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
)

// What is on the wire has changed when this fails: write the new fingerprint
// down, and say in CHANGELOG.md what changed.
func TestFingerprintIsThatOfTheTables(t *testing.T) {
	h := sha256.New()
	for _, m := range Methods {
		fmt.Fprintf(h, "%s %s %v\n", m.Name, m.Kind, m.Roles)
		describe(h, reflect.TypeOf(m.Params), 1)
		describe(h, reflect.TypeOf(m.Result), 1)
	}
	for _, e := range Errors {
		fmt.Fprintf(h, "%d %s %t %t\n", e.Code, e.Kind, e.Retryable, e.Recorded)
	}
	if want := "sha256:" + hex.EncodeToString(h.Sum(nil)); Fingerprint != want {
		t.Errorf("Fingerprint is %s, and the tables give %s", Fingerprint, want)
	}
}

// What a client could tell apart on the wire must change the description that
// the fingerprint is taken over.
func TestFingerprintsTellShapesApart(t *testing.T) {
	seen := map[string]string{}
	for _, shape := range []any{
		struct {
			A string `json:"a"`
		}{},
		struct {
			A string `json:"b"`
		}{},
		struct {
			A string `json:"a,omitzero"`
		}{},
		struct {
			A int `json:"a"`
		}{},
		struct {
			A *string `json:"a"`
		}{},
		struct {
			A []string `json:"a"`
		}{},
		struct {
			A []struct {
				B string `json:"b"`
			} `json:"a"`
		}{},
		struct {
			A []struct {
				B int `json:"b"`
			} `json:"a"`
		}{},
		struct {
			A string `json:"a"`
			B string `json:"b"`
		}{},
		struct {
			B string `json:"b"`
			A string `json:"a"`
		}{},
	} {
		var b strings.Builder
		describe(&b, reflect.TypeOf(shape), 0)
		name := reflect.TypeOf(shape).String()
		if other, twice := seen[b.String()]; twice {
			t.Errorf("%s and %s look alike:\n%s", name, other, b.String())
		}
		seen[b.String()] = name
	}
}

// describe writes a type as its members with their tags and types. A type
// within itself would have no end; the structs of this package hold none.
func describe(w io.Writer, t reflect.Type, depth int) {
	if t == nil {
		return
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		fmt.Fprintf(w, "%*s%s\n", depth, "", t.Kind())
		describe(w, t.Elem(), depth+1)
	case reflect.Struct:
		for f := range t.Fields() {
			fmt.Fprintf(w, "%*s%s %s %q\n", depth, "", f.Name, f.Type.Kind(), f.Tag)
			describe(w, f.Type, depth+1)
		}
	default:
		fmt.Fprintf(w, "%*s%s\n", depth, "", t.Kind())
	}
}
