package main

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

// source is what the comments of package wire say about its types.
type source struct {
	structs map[string]*structDoc
	enums   map[string]*enumDoc // named string types
	consts  map[string]string   // texts and numbers by the constant's name
}

type structDoc struct {
	doc    string
	fields map[string]string // by Go name
}

type enumDoc struct {
	doc    string
	values []valueDoc
}

type valueDoc struct{ constant, value, doc string }

// parseSource reads the Go files of a directory, tests left out.
func parseSource(dir string) (*source, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	s := &source{structs: map[string]*structDoc{}, enums: map[string]*enumDoc{}, consts: map[string]string{}}
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
	if len(s.structs) == 0 {
		return nil, fmt.Errorf("no Go source of package wire under %s", dir)
	}
	return s, nil
}

func (s *source) add(file *ast.File) {
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

func (s *source) addType(spec *ast.TypeSpec, doc string) {
	switch t := spec.Type.(type) {
	case *ast.StructType:
		d := &structDoc{doc: doc, fields: map[string]string{}}
		for _, field := range t.Fields.List {
			for _, name := range field.Names {
				d.fields[name.Name] = comment(field.Doc, field.Comment)
			}
		}
		s.structs[spec.Name.Name] = d
	case *ast.Ident:
		if t.Name == "string" {
			s.enum(spec.Name.Name).doc = doc
		}
	}
}

func (s *source) addConst(spec *ast.ValueSpec, group *ast.GenDecl) {
	for i, name := range spec.Names {
		if i >= len(spec.Values) {
			continue
		}
		literal, ok := spec.Values[i].(*ast.BasicLit)
		if ok && literal.Kind == token.INT {
			s.consts[name.Name] = literal.Value
		}
		if !ok || literal.Kind != token.STRING {
			continue
		}
		value, err := strconv.Unquote(literal.Value)
		if err != nil {
			continue // the parser has accepted it
		}
		s.consts[name.Name] = value
		if t, ok := spec.Type.(*ast.Ident); ok {
			doc := comment(spec.Doc, spec.Comment)
			if doc == "" && !group.Lparen.IsValid() {
				doc = comment(group.Doc)
			}
			e := s.enum(t.Name)
			e.values = append(e.values, valueDoc{name.Name, value, doc})
		}
	}
}

// enum is the entry of a type, which may be met before or after its constants.
func (s *source) enum(name string) *enumDoc {
	if s.enums[name] == nil {
		s.enums[name] = &enumDoc{}
	}
	return s.enums[name]
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
