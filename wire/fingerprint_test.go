package wire

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func TestFingerprintHasTheFormOfTheHandshakeAndStaysTheSame(t *testing.T) {
	got := Fingerprint()
	if !regexp.MustCompile(`^sha256:[0-9a-f]{64}$`).MatchString(got) || got != Fingerprint() {
		t.Errorf("got %s, then %s", got, Fingerprint())
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
