// Package comments reads what the comments of Go source files say about types, and tells it in the
// words of the wire. docs/gen makes documents of it and schema/gen descriptions.
package comments

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Source is what the comments of one package say about its types.
type Source struct {
	Structs map[string]*Struct
	Enums   map[string]*Enum  // named string types
	Consts  map[string]string // texts and numbers by the constant's name
}

// Struct is what is said of a struct, each text in one line.
type Struct struct {
	Doc    string
	Fields map[string]string // by Go name
}

// Enum is a named string type. One without values is a string and nothing more.
type Enum struct {
	Doc    string
	Values []Value // in the order of the source
}

// Value is a constant of an [Enum].
type Value struct{ Constant, Value, Doc string }

// closed is the sentence by which a comment on an enum says that there are no other values.
const closed = "The set is closed."

// Closed reports whether no other value may come: its comment says so. To all other enums a newer
// program may add.
func (e *Enum) Closed() bool { return strings.Contains(e.Doc, closed) }

// Parse reads the Go files of a directory, tests left out.
func Parse(dir string) (*Source, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	s := &Source{Structs: map[string]*Struct{}, Enums: map[string]*Enum{}, Consts: map[string]string{}}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		s.add(file)
	}
	if len(s.Structs) == 0 {
		return nil, fmt.Errorf("no Go source with structs under %s", dir)
	}
	return s, nil
}

func (s *Source) add(file *ast.File) {
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range group.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				s.addType(spec, comment(spec.Doc, group.Doc))
			case *ast.ValueSpec:
				if group.Tok == token.CONST {
					s.addConst(spec, group)
				}
			}
		}
	}
}

func (s *Source) addType(spec *ast.TypeSpec, doc string) {
	switch t := spec.Type.(type) {
	case *ast.StructType:
		d := &Struct{Doc: doc, Fields: map[string]string{}}
		for _, field := range t.Fields.List {
			for _, name := range field.Names {
				d.Fields[name.Name] = comment(field.Doc, field.Comment)
			}
		}
		s.Structs[spec.Name.Name] = d
	case *ast.Ident:
		if t.Name == "string" {
			s.enum(spec.Name.Name).Doc = doc
		}
	}
}

func (s *Source) addConst(spec *ast.ValueSpec, group *ast.GenDecl) {
	for i, name := range spec.Names {
		if i >= len(spec.Values) {
			continue
		}
		literal, ok := spec.Values[i].(*ast.BasicLit)
		if ok && literal.Kind == token.INT {
			s.Consts[name.Name] = literal.Value
		}
		if !ok || literal.Kind != token.STRING {
			continue
		}
		value, err := strconv.Unquote(literal.Value)
		if err != nil {
			continue // the parser has accepted it
		}
		s.Consts[name.Name] = value
		if t, ok := spec.Type.(*ast.Ident); ok {
			doc := comment(spec.Doc, spec.Comment)
			if doc == "" && !group.Lparen.IsValid() {
				doc = comment(group.Doc)
			}
			e := s.enum(t.Name)
			e.Values = append(e.Values, Value{name.Name, value, doc})
		}
	}
}

// enum is the entry of a type, which may be met before or after its constants.
func (s *Source) enum(name string) *Enum {
	if s.Enums[name] == nil {
		s.Enums[name] = &Enum{}
	}
	return s.Enums[name]
}

// comment is the text of the first comment that there is, in one line.
func comment(groups ...*ast.CommentGroup) string {
	for _, g := range groups {
		if text := strings.Join(strings.Fields(g.Text()), " "); text != "" {
			return text
		}
	}
	return ""
}
