package members

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/approvald/approvald/internal/canon"
)

func TestMembersAreReadAsWhatTheyAre(t *testing.T) {
	r := ReaderOf([]byte(`{"a":"x\n\u00e9","b":true,"c":false,"n":null,"o":{"p":"q"},"l":[{"a":"1"},{"a":"2"}]}`))
	if r.Text("a") != "x\né" || !r.Yes("b") || r.Yes("c") || r.Yes("none") || r.Text("n") != "" || r.Inner("o").Text("p") != "q" || r.Inner("none").Text("p") != "" {
		t.Errorf("%+v", r)
	}
	if l := r.List("l"); len(l) != 2 || l[1].Text("a") != "2" || len(r.List("none")) != 0 {
		t.Errorf("%+v", l)
	}
	if _, there := r.Object["n"]; there || r.Err != nil {
		t.Errorf("%v, %v", r.Object, r.Err)
	}
	for name, take := range map[string]func(*Reader){
		"text": func(r *Reader) { r.Text("o") }, "yes": func(r *Reader) { r.Yes("a") }, "inner": func(r *Reader) { r.Inner("a") },
		"list": func(r *Reader) { r.List("o") }, "element": func(r *Reader) { r.List("m") },
	} {
		r := ReaderOf([]byte(`{"a":"x","o":{},"m":[1]}`))
		if take(r); r.Err == nil {
			t.Errorf("%s: what is something else is taken for one", name)
		}
	}
}

// The strict decoder of the rest of the program, and this one, take and refuse the same texts.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		`{}`, ` {"a":1} `, `{"a":1}x`, `{"a":1,"a":2}`, `{"a":{"b":1,"b":2}}`, `{"a"}`, `{"a":1`, `[]`, `null`, ``, "{\"a\":\"\xff\"}", `{"a":"\ud800"}`,
		`{"\u0061":1,"a":2}`, strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := Read(text)
		want := make(map[string]json.RawMessage)
		errCanon := canon.Unmarshal(text, &want)
		if want == nil { // null is no object
			return
		}
		if (err == nil) != (errCanon == nil) {
			t.Fatalf("%v, and canon says %v", err, errCanon)
		}
		if err != nil {
			return
		}
		for name, value := range want {
			if string(value) != string(got[name]) && string(value) != "null" {
				t.Fatalf("%q is %s, and canon says %s", name, got[name], value)
			}
		}
		for name := range got {
			if _, there := want[name]; !there {
				t.Fatalf("%q is none", name)
			}
		}
	})
}
