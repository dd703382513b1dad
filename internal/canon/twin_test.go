package canon

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"
)

// twin is the deliberately naive canonical form: the text as a tree of Go values, written out with
// sorted names. It takes texts that Canonical accepts.
func twin(t fataler, text []byte) string {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("the twin cannot read %s: %v", text, err)
	}
	return written(v)
}

// fataler is what twin needs of a test, a fuzz run or a property.
type fataler interface{ Fatalf(string, ...any) }

func written(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return quoted(v)
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, written(e))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]any:
		names := slices.SortedFunc(maps.Keys(v), func(a, b string) int {
			return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		})
		var parts []string
		for _, name := range names {
			parts = append(parts, quoted(name)+":"+written(v[name]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	default: // json.Number, bool
		return fmt.Sprint(v)
	}
}

func quoted(s string) string {
	short := map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}
	out := `"`
	for _, r := range s {
		switch {
		case short[r] != "":
			out += short[r]
		case r < ' ':
			out += fmt.Sprintf(`\u%04x`, r)
		default:
			out += string(r)
		}
	}
	return out + `"`
}

// anyText draws a valid JSON text in a random spelling: escapes, white space, member order.
func anyText(depth int) *rapid.Generator[string] {
	space := rapid.SampledFrom([]string{"", "", "", " ", "\t\r\n"})
	char := rapid.OneOf(
		rapid.SampledFrom([]string{`a`, `b`, `"`, `:null`, `{`, `,`, `\`, "\u20ac", "\ufb33", "\U0001f600", "\x01", "\n", "/", "\u2028"}),
		rapid.StringN(0, 1, -1),
	)
	str := rapid.Custom(func(t *rapid.T) string {
		out := `"`
		for _, s := range rapid.SliceOfN(char, 0, 4).Draw(t, "chars") {
			escaped := rapid.Bool().Draw(t, "escaped")
			for _, r := range s {
				switch {
				case escaped:
					for _, unit := range utf16.Encode([]rune{r}) {
						out += fmt.Sprintf(`\u%04X`, unit)
					}
				default:
					out += strings.Trim(quoted(string(r)), `"`)
					if r == '"' {
						out += `"`
					}
				}
			}
		}
		return out + `"`
	})
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,4})?`)
	scalar := rapid.OneOf(str, number, rapid.SampledFrom([]string{"null", "true", "false"}))
	if depth == 0 {
		return scalar
	}
	inner := anyText(depth - 1)
	list := rapid.Custom(func(t *rapid.T) string {
		return "[" + strings.Join(rapid.SliceOfN(inner, 0, 3).Draw(t, "elements"), ",") + "]"
	})
	object := rapid.Custom(func(t *rapid.T) string {
		unescaped := func(name string) string {
			var s string
			if err := json.Unmarshal([]byte(name), &s); err != nil {
				t.Fatalf("name %s: %v", name, err)
			}
			return s
		}
		var members []string
		for _, name := range rapid.SliceOfNDistinct(str, 0, 4, unescaped).Draw(t, "names") {
			members = append(members, space.Draw(t, "space")+name+space.Draw(t, "space")+":"+inner.Draw(t, "value"))
		}
		return "{" + strings.Join(members, ",") + space.Draw(t, "space") + "}"
	})
	return rapid.OneOf(scalar, list, object)
}

func TestCanonicalEqualsTheNaiveTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(anyText(3).Draw(t, "text"))
		got, err := Canonical(text)
		if err != nil {
			t.Fatalf("Canonical(%s): %v", text, err)
		}
		if want := twin(t, text); string(got) != want {
			t.Fatalf("Canonical(%s)\n got %s\nwant %s", text, got, want)
		}
	})
}

func TestPayloadEqualsTheNaiveTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		member := rapid.Custom(func(t *rapid.T) string {
			name := rapid.SampledFrom([]string{`"commandId"`, `"command\u0049d"`, `"a"`, `"\":null"`, `"z,}"`}).Draw(t, "name")
			return name + ":" + anyText(2).Draw(t, "value")
		})
		byName := func(member string) string { return member[:3] }
		members := rapid.SliceOfNDistinct(member, 0, 4, byName).Draw(t, "members")
		params := []byte("{" + strings.Join(members, ",") + "}")
		got, err := appendSignificant(nil, params)
		if err != nil {
			t.Fatalf("payload of %s: %v", params, err)
		}
		if want := significantTwin(t, params); string(got) != want {
			t.Fatalf("payload of %s\n got %s\nwant %s", params, got, want)
		}
	})
}

// significantTwin is the naive twin of appendSignificant.
func significantTwin(t fataler, params []byte) string {
	dec := json.NewDecoder(bytes.NewReader(params))
	dec.UseNumber()
	var members map[string]any
	if err := dec.Decode(&members); err != nil {
		t.Fatalf("the twin cannot read %s: %v", params, err)
	}
	maps.DeleteFunc(members, func(name string, v any) bool { return name == "commandId" || v == nil })
	return written(members)
}

func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{`{"b":1.0,"a":[1E2,-0]}`, `{"a":1,"a":2}`, `["\ud800"]`, "\"\xff\"", `{"commandId":1,"x":null}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		form, err := Canonical(text)
		if err != nil {
			return
		}
		if want := twin(t, text); string(form) != want {
			t.Fatalf("Canonical(%q)\n got %s\nwant %s", text, form, want)
		}
		again, err := Canonical(form)
		if err != nil || !bytes.Equal(again, form) {
			t.Fatalf("the form of %q is not its own form: %s, %v", form, again, err)
		}
		significant, err := appendSignificant(nil, text)
		if err != nil {
			return
		}
		if want := significantTwin(t, text); string(significant) != want {
			t.Fatalf("payload of %q\n got %s\nwant %s", text, significant, want)
		}
	})
}
