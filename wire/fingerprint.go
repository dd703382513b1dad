package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"reflect"
)

// Fingerprint identifies the shape of this build's wire: "sha256:" and 64
// lower-case hex digits over every method with its params and result, member
// by member, and every error (msp-facts §1.4). Two builds with the same
// fingerprint exchange the same frames.
func Fingerprint() string {
	h := sha256.New()
	for _, m := range Methods {
		fmt.Fprintf(h, "%s %s %v\n", m.Name, m.Kind, m.Roles)
		describe(h, reflect.TypeOf(m.Params), 1)
		describe(h, reflect.TypeOf(m.Result), 1)
	}
	for _, e := range Errors {
		fmt.Fprintf(h, "%d %s %t %t\n", e.Code, e.Kind, e.Retryable, e.Recorded)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
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
