package canon

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestCanonicalForm(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"white space goes", " { \"a\" :\t[ 1 ,\r\n2 ] } ", `{"a":[1,2]}`},
		{"members are sorted at every level", `{"b":{"d":1,"c":2},"a":[{"f":1,"e":2}]}`, `{"a":[{"e":2,"f":1}],"b":{"c":2,"d":1}}`},
		{"the order of arrays stays", `[3,1,2]`, `[3,1,2]`},
		{"a prefix sorts before the longer name", `{"ab":1,"a":2,"":3}`, `{"":3,"a":2,"ab":1}`},
		{"names are compared unescaped", `{"b":1,"\u0061":2}`, `{"a":2,"b":1}`},
		// U+1F600 is the surrogates D83D DE00, so it comes before U+FFEE although its code point
		// (and its UTF-8) comes after.
		{"names are sorted by UTF-16 code units", "{\"\uffee\":1,\"\U0001f600\":2,\"\u20ac\":3}", "{\"\u20ac\":3,\"\U0001f600\":2,\"\uffee\":1}"},
		{"RFC 8785 §3.2.3", `{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`,
			"{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\",\"\u00f6\":\"Latin Small Letter O With Diaeresis\",\"\u20ac\":\"Euro Sign\",\"\U0001f600\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}"},

		{"1.0 stays 1.0", `1.0`, `1.0`},
		{"1E2 stays 1E2", `1E2`, `1E2`},
		{"1e+2 stays 1e+2", `1e+2`, `1e+2`},
		{"-0 stays -0", `-0`, `-0`},
		{"digits beyond 2^53 stay", `[9007199254740993,123456789012345678901234567890]`, `[9007199254740993,123456789012345678901234567890]`},
		{"a number beyond float64 stays", `1e400`, `1e400`},

		{"an escaped letter becomes itself", `"\u0041"`, `"A"`},
		{"an escaped slash becomes itself", `"\/"`, `"/"`},
		{"an escaped pair becomes its character", `"\ud83d\uDE00"`, "\"\U0001f600\""},
		{"short escapes are kept", `"\"\\\b\f\n\r\t"`, `"\"\\\b\f\n\r\t"`},
		{"long spellings of short escapes are shortened", `"\u0022\u005c\u0008\u000c\u000a\u000D\u0009"`, `"\"\\\b\f\n\r\t"`},
		{"other control characters are lower-case hex", `"\u001F\u0000\u007f"`, "\"\\u001f\\u0000\u007f\""},
		{"nothing is escaped for HTML or JavaScript", "\"<&>\u2028\"", "\"<&>\u2028\""},
		{"strings are not normalised", "\"e\u0301 \u00e9\"", "\"e\u0301 \u00e9\""},

		{"a scalar is a text too", ` null `, `null`},
		{"empty containers stay", `{"o":{ },"a":[ ]}`, `{"a":[],"o":{}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := []byte(tt.in)
			got, err := Canonical(in)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("Canonical(%s)\n got %s\nwant %s", tt.in, got, tt.want)
			}
			if string(in) != tt.in {
				t.Errorf("the input was changed to %s", in)
			}
		})
	}
}

func TestCanonicalRefuses(t *testing.T) {
	tests := []struct{ name, in, wantText string }{
		{"nothing", ``, "byte 0"},
		{"white space only", "  ", "byte 2"},
		{"a truncated text", `{"a":`, "byte 5"},
		{"a second value", `{} {}`, "byte 3"},
		{"a trailing comma", `[1,]`, "byte 3"},
		{"invalid UTF-8", "[\"a\xff\"]", "UTF-8"},
		{"an encoded surrogate", "[\"\xed\xa0\x80\"]", "UTF-8"},
		{"a lone high surrogate escape", `["\ud800"]`, "surrogate"},
		{"a lone low surrogate escape", `["\udc00"]`, "surrogate"},
		{"a lone surrogate escape in a name", `{"\ud800":1}`, "surrogate"},
		{"a duplicate name", `{"x":{"a":1,"a":1}}`, `duplicate object member name "x.a"`},
		{"a duplicate name in another spelling", `{"a":1,"\u0061":1}`, `duplicate object member name "a"`},
		{"65 levels", nested(65), "deeper than 64"},
		{"65 levels of objects", strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65), "deeper than 64"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Canonical([]byte(tt.in))
			if err == nil {
				t.Fatalf("Canonical(%s) = %s, want an error", tt.in, got)
			}
			if got != nil {
				t.Errorf("result %s beside the error", got)
			}
			if !strings.Contains(err.Error(), tt.wantText) {
				t.Errorf("error %q does not say %q", err, tt.wantText)
			}
		})
	}
}

func TestDuplicateNameKeepsItsIdentity(t *testing.T) {
	if _, err := Canonical([]byte(`{"a":1,"a":2}`)); !errors.Is(err, jsontext.ErrDuplicateName) {
		t.Errorf("got %v, want it to be jsontext.ErrDuplicateName", err)
	}
}

func TestDepth(t *testing.T) {
	tests := []struct {
		name string
		in   string
		want bool
	}{
		{"64 levels are allowed", nested(64), false},
		{"65 levels are not", nested(65), true},
		{"width is not depth", "[" + strings.Repeat("[],", 100) + "{}]", false},
		{"brackets in strings do not count", `["` + strings.Repeat("[{", 100) + `"]`, false},
		{"an escaped quote does not end a string", `["\"` + strings.Repeat("[", 100) + `"]`, false},
		{"an escaped backslash does not hide the end of a string", `["\\",` + nested(64) + `]`, true},
		{"depth after closed siblings", `[` + strings.Repeat("[],", 100) + nested(64) + `]`, true},
		{"a string without an end", strings.Repeat("[", 64) + `"[\`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := TooDeep([]byte(tt.in)); got != tt.want {
				t.Errorf("TooDeep = %t, want %t", got, tt.want)
			}
		})
	}
}

func TestDigestIsSHA256OfTheCanonicalForm(t *testing.T) {
	// printf '{"command":"make test","n":1.0}' | sha256sum
	const want = "sha256:82e06810567c6b2a41ae49fd36f0018f8aa9d96614463bf5c67fca0adfeb5840"
	const text = ` {"n":1.0, "comm\u0061nd":"make test"}`
	got, err := Digest([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("Digest = %s, want %s", got, want)
	}
	sum, err := Sum([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if hexed := "sha256:" + hex.EncodeToString(sum[:]); hexed != want {
		t.Errorf("Sum = %s, want %s", hexed, want)
	}
}

// nested returns n arrays within one another.
func nested(n int) string {
	return strings.Repeat("[", n) + strings.Repeat("]", n)
}
