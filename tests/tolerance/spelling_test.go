package tolerance

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// node is a JSON value that keeps the order of its members and the spelling of its scalars.
type node struct {
	scalar  string // as it is spelt; "" for objects and arrays
	object  bool
	members []field
	items   []*node
}

type field struct {
	name  string // as it is spelt, in quotes
	value *node
}

// parse reads one value; ok is false for what is no JSON that a daemon takes.
func parse(text string) (n *node, ok bool) {
	d := jsontext.NewDecoder(strings.NewReader(text))
	if n, ok = parseNext(d); !ok {
		return nil, false
	}
	_, err := d.ReadToken()
	return n, err != nil && d.InputOffset() == int64(len(strings.TrimRight(text, " \t\r")))
}

func parseNext(d *jsontext.Decoder) (*node, bool) {
	switch n := new(node); d.PeekKind() {
	case jsontext.KindBeginObject:
		n.object = true
		if _, err := d.ReadToken(); err != nil {
			return nil, false
		}
		for d.PeekKind() != jsontext.KindEndObject {
			name, err := d.ReadValue()
			if err != nil {
				return nil, false
			}
			m := field{name: string(name)}
			var ok bool
			if m.value, ok = parseNext(d); !ok {
				return nil, false
			}
			n.members = append(n.members, m)
		}
		_, err := d.ReadToken()
		return n, err == nil
	case jsontext.KindBeginArray:
		if _, err := d.ReadToken(); err != nil {
			return nil, false
		}
		for d.PeekKind() != jsontext.KindEndArray {
			item, ok := parseNext(d)
			if !ok {
				return nil, false
			}
			n.items = append(n.items, item)
		}
		_, err := d.ReadToken()
		return n, err == nil
	default:
		raw, err := d.ReadValue()
		n.scalar = string(raw)
		return n, err == nil
	}
}

// get is a member's value, nil where there is none.
func (n *node) get(name string) *node {
	if n == nil {
		return nil
	}
	for _, m := range n.members {
		if m.name == `"`+name+`"` {
			return m.value
		}
	}
	return nil
}

// with is a copy of an object with a member replaced, added, or, for a nil value, left out.
func (n *node) with(name string, value *node) *node {
	out := &node{object: true}
	for _, m := range n.members {
		if m.name != `"`+name+`"` {
			out.members = append(out.members, m)
		}
	}
	if value != nil {
		out.members = append(out.members, field{`"` + name + `"`, value})
	}
	return out
}

func (n *node) String() string {
	var b strings.Builder
	n.write(&b, func() string { return "" })
	return b.String()
}

// write spells the value with some white space between its tokens.
func (n *node) write(b *strings.Builder, space func() string) {
	b.WriteString(space())
	switch {
	case n.scalar != "":
		b.WriteString(n.scalar)
	case n.object:
		b.WriteByte('{')
		for i, m := range n.members {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(space() + m.name + space() + ":")
			m.value.write(b, space)
		}
		b.WriteString(space() + "}")
	default:
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.write(b, space)
		}
		b.WriteString(space() + "]")
	}
	b.WriteString(space())
}

// speller spells frames otherwise than they are: further members, white space, the order of members,
// escapes. What it does to one frame, and to one id, is always the same for one seed.
type speller struct{ seed uint64 }

// rand is the source of what is done to a text.
func (s speller) rand(of string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(of))
	return rand.New(rand.NewPCG(s.seed, h.Sum64()))
}

// id is an id of a request in its other spelling.
func (s speller) id(id string) string {
	if !strings.HasPrefix(id, `"`) {
		return id // a number has one spelling, but for those that are no ids
	}
	return escaped(s.rand(id), id)
}

// frame is a frame of a client in its other spelling.
func (s speller) frame(frame *node) string {
	r := s.rand(frame.String())
	// A command under one id is one command if its params are: what is added to them depends on the
	// id alone. Everything else that is done to them changes nothing of what they are.
	added := r
	if command := frame.get("params").get("commandId"); command != nil {
		added = s.rand(command.scalar)
	}
	out := s.respell(r, added, frame, "")
	for i, m := range out.members {
		if id := frame.get("id"); id != nil && m.value.scalar != "" && unescaped(m.name) == "id" {
			out.members[i].value = &node{scalar: s.id(id.scalar)}
		}
	}
	var b strings.Builder
	out.write(&b, func() string { return pick(r, "", "", "", " ", "\t", "\r", " \r ") })
	if r.IntN(3) == 0 {
		b.WriteByte('\r')
	}
	return b.String()
}

// respell does it to a value at a path.
func (s speller) respell(r, added *rand.Rand, n *node, path string) *node {
	switch {
	case verbatim(path, n):
		return n
	case strings.HasPrefix(n.scalar, `"`):
		return &node{scalar: escaped(r, n.scalar)}
	case n.scalar != "":
		return n
	case !n.object:
		out := &node{}
		for _, item := range n.items {
			out.items = append(out.items, s.respell(r, added, item, path+"[]"))
		}
		return out
	}
	out := &node{object: true}
	for _, m := range n.members {
		out.members = append(out.members, field{escaped(r, m.name), s.respell(r, added, m.value, path+"."+unescaped(m.name))})
	}
	from := r
	if strings.HasPrefix(path, ".params") {
		from = added
	}
	for i := range from.IntN(3) {
		out.members = append(out.members, field{fmt.Sprintf(`"future%d"`, i), anyValue(from)})
	}
	r.Shuffle(len(out.members), func(i, j int) { out.members[i], out.members[j] = out.members[j], out.members[i] })
	return out
}

// verbatim reports whether a value is published as it was given, so that it has no other spelling.
func verbatim(path string, n *node) bool {
	switch {
	case strings.HasSuffix(path, ".operation"), strings.HasSuffix(path, ".subject.arguments"), strings.HasSuffix(path, "params.input"):
		return true
	case strings.HasSuffix(path, ".subject"):
		known := []string{`"shell"`, `"fileAccess"`, `"network"`, `"process"`, `"tool"`}
		return n.get("kind") == nil || !slices.Contains(known, n.get("kind").scalar)
	}
	return false
}

// anyValue is what a member may have that nobody knows.
func anyValue(r *rand.Rand) *node {
	n, ok := parse(pick(r, "null", "true", "-1e400", `"é\ud83d\ude00"`, "[]", "{}", `{"id":1,"method":"x","params":[{"commandId":7}]}`, `[[],{"a":null}]`, `""`))
	if !ok {
		panic("a value that is none")
	}
	return n
}

// escaped spells some characters of a string as escapes.
func escaped(r *rand.Rand, quoted string) string {
	var b strings.Builder
	for rest := quoted; rest != ""; {
		c, size := utf8.DecodeRuneInString(rest)
		if c == '\\' { // an escape stays as it is
			size = 2
			if rest[1] == 'u' {
				size = 6
			}
			b.WriteString(rest[:size])
		} else if c != '"' && c <= 0xffff && r.IntN(12) == 0 {
			fmt.Fprintf(&b, `\u%04x`, c)
		} else {
			b.WriteString(rest[:size])
		}
		rest = rest[size:]
	}
	return b.String()
}

// unescaped is the text of a string.
func unescaped(quoted string) string {
	text, err := jsontext.AppendUnquote(nil, quoted)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func pick(r *rand.Rand, from ...string) string { return from[r.IntN(len(from))] }
