package rulefile

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// maxSize bounds a file. The largest policy that anyone measures (10,000
// rules, perf.md T18) has about that.
const maxSize = 1 << 20

// maxKeys bounds the keys of one table, so that looking one up may be a search.
const maxKeys = 64

// document is the text of a policy file as TOML, with the line of everything.
// The shape is flat on purpose: keys with plain values at the top and under
// [[rule]] and [[tool]] headers. What else TOML can say is a fault.
type document struct {
	top    table
	tables []table // in source order
}

// table is what stands under one [[header]], or above the first.
type table struct {
	name   string // "rule" or "tool"; "" for the top
	line   int    // of the header
	keys   []entry
	broken bool // part of it was not understood, so that nothing can be said about what is missing
}

// entry is one key = value.
type entry struct {
	name  string
	line  int
	value value
}

// value is a TOML value of a kind that policy files use; of others only the
// kind is kept.
type value struct {
	kind unstable.Kind
	text string  // of a string; of a number or a time: its source
	list []value // of an array; of arrays within it only the kind is kept
}

// get is the entry of that name; false where there is none.
func (t *table) get(name string) (entry, bool) {
	i := slices.IndexFunc(t.keys, func(e entry) bool { return e.name == name })
	if i < 0 {
		return entry{}, false
	}
	return t.keys[i], true
}

// has reports whether there is an entry of that name.
func (t *table) has(name string) bool {
	_, ok := t.get(name)
	return ok
}

// scanner takes the text apart. The parser of go-toml gives positions for
// everything it accepts, which its Unmarshal does not, and is lenient in
// places: strictly has the last word.
type scanner struct {
	*faults
	text  []byte
	lines []int // offsets of the line starts
	doc   document
	at    *table // that the next key belongs to; nil: to one that is not known
}

// scan reads text into a document.
func scan(text []byte, f *faults) document {
	s := &scanner{faults: f, text: text}
	s.at = &s.doc.top
	for i, b := range append([]byte{'\n'}, text...) {
		if b == '\n' {
			s.lines = append(s.lines, i)
		}
	}
	if !s.readable() {
		return document{}
	}
	for from := 0; from < len(text) && !s.more; {
		from = s.run(from)
	}
	return s.doc
}

// readable reports whether the text can be text of a policy at all.
func (s *scanner) readable() bool {
	const bom = "\ufeff"
	switch {
	case len(s.text) > maxSize:
		s.add(0, "the file has %d bytes, and a policy file at most %d; merge rules, or move what is generated to where it is generated from", len(s.text), maxSize)
	case !utf8.Valid(s.text):
		s.add(s.lineOf(invalidAt(s.text)), "this is not UTF-8; save the file as UTF-8")
	case bytes.HasPrefix(s.text, []byte(bom)):
		s.add(1, "the file begins with a byte order mark; save it as UTF-8 without one")
	case bytes.HasPrefix(bytes.TrimSpace(s.text), []byte("{")):
		s.add(1, `this is JSON; a policy file is TOML: write each rule as lines of key = "value" under a [[rule]] header (settings of Claude Code are read by "approvald policy import")`)
	default:
		return true
	}
	return false
}

// invalidAt is the offset of the first byte that is no UTF-8.
func invalidAt(text []byte) int {
	at := 0
	for at < len(text) {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return at
}

// lineOf is the number of the line that holds the byte at offset.
func (s *scanner) lineOf(offset int) int {
	i, found := slices.BinarySearch(s.lines, offset)
	if found {
		return i + 1
	}
	return i
}

// run reads expressions from an offset up to the end or the first error of
// syntax, and gives the offset to go on at, where what follows can be
// understood again: the next line, where the mistake is one of this line, or
// else the next that opens a table.
func (s *scanner) run(from int) int {
	var p unstable.Parser
	p.Reset(s.text[from:])
	for p.NextExpression() {
		s.expression(&p, from)
	}
	err := p.Error()
	if err == nil {
		return len(s.text)
	}
	var syntax *unstable.ParserError
	if !errors.As(err, &syntax) {
		s.add(0, "this is not TOML: %v", err)
		return len(s.text)
	}
	at := from + int(p.Range(syntax.Highlight).Offset)
	why, oneLine := s.syntax(at, syntax.Message)
	s.add(s.lineOf(at), "%s", why)
	if s.at != nil {
		s.at.broken = true
	}
	next := bytes.IndexByte(s.text[at:], '\n')
	if !oneLine {
		s.at = nil
		next = bytes.Index(s.text[at:], []byte("\n[["))
	}
	if next < 0 {
		return len(s.text)
	}
	return at + next + 1
}

// expression takes in one line's worth of TOML.
func (s *scanner) expression(p *unstable.Parser, from int) {
	node := p.Expression()
	var name []byte
	parts, line := 0, 0
	for it := node.Key(); it.Next(); parts++ {
		if parts == 0 {
			line = s.lineOf(from + int(it.Node().Raw.Offset))
		} else {
			name = append(name, '.')
		}
		name = append(name, it.Node().Data...)
	}
	switch node.Kind {
	case unstable.ArrayTable:
		s.header(string(name), line)
	case unstable.Table:
		s.single(string(name), line)
	case unstable.KeyValue:
		s.key(entry{name: string(name), line: line, value: valueOf(node.Value(), 1)}, parts)
	default:
	}
}

// header opens a table.
func (s *scanner) header(name string, line int) {
	if name != "rule" && name != "tool" {
		s.at = nil
		s.add(line, "[[%s]] is not known; write [[rule]] for a rule and [[tool]] for the mode of a tool", shown(name))
		return
	}
	s.doc.tables = append(s.doc.tables, table{name: name, line: line})
	s.at = &s.doc.tables[len(s.doc.tables)-1]
}

// single refuses a [header], which TOML takes for one table and not for one of
// many.
func (s *scanner) single(name string, line int) {
	s.at = nil
	if name == "rule" || name == "tool" {
		s.add(line, "[%s] stands in single brackets; write [[%s]], since there may be many", name, name)
		return
	}
	s.add(line, "[%s] is not known; a policy file has no sections, only keys at its top and tables under [[rule]] and [[tool]]", shown(name))
}

// key takes in one key of the open table. A key of a table that is not known
// says nothing more than its header did.
func (s *scanner) key(e entry, parts int) {
	if s.at == nil {
		return
	}
	if parts > 1 {
		s.add(e.line, "%s is a dotted key, and no value here is a table; write one name", shown(e.name))
		return
	}
	if len(s.at.keys) == maxKeys {
		s.at.broken = true
		s.at = nil
		s.add(e.line, "there are more than %d keys here, and no table has so many", maxKeys)
		return
	}
	if first, twice := s.at.get(e.name); twice {
		s.add(e.line, "%s is set twice, in line %d too; keep one of the two", shown(e.name), first.line)
		return
	}
	s.at.keys = append(s.at.keys, e)
}

// valueOf copies a value; depth is how many levels of arrays are looked into.
func valueOf(node *unstable.Node, depth int) value {
	v := value{kind: node.Kind, text: string(node.Data)}
	if node.Kind == unstable.Array && depth > 0 {
		for it := node.Children(); it.Next(); {
			v.list = append(v.list, valueOf(it.Node(), depth-1))
		}
	}
	return v
}

// strictly holds the text against the whole of TOML: dates that do not exist,
// numbers with leading zeros, tables that are two things.
func strictly(text []byte, f *faults) {
	var all map[string]any
	err := toml.Unmarshal(text, &all)
	if err == nil {
		return
	}
	line := 0
	if where, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ = where.Position()
	}
	f.add(line, "this is not TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
}
