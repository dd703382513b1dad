package arch

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// module is the path under which the packages of the table import each other.
const module = "github.com/approvald/approvald/"

// A place is where a package stands on the map.
type place struct {
	pkg  string // directory below the module's root
	row  int
	pure bool
	limit
}

// A limit narrows or widens what the row allows. Packages are those of this module.
type limit struct {
	only  []string // if not nil: nothing else, whatever the row
	never []string // not these, although their row is lower
	also  []string // these, although their row is not lower
}

// A source is one Go file, for whatever system it is built.
type source struct {
	path  string // below the module's root, with slashes
	pkg   string // its directory
	test  bool
	lines int
	set   *token.FileSet
	ast   *ast.File
}

// sources parses every Go file of the module at root. Files under testdata and modules of
// their own (tools) are not the module's.
func sources(t *testing.T, root string) []*source {
	t.Helper()
	var files []*source
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != root && outside(name) {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		f, err := parse(filepath.ToSlash(rel), text)
		files = append(files, f)
		return err
	})
	if err != nil {
		t.Fatalf("the module's sources cannot be read: %v", err)
	}
	if len(files) == 0 {
		t.Fatalf("no Go file found under %s", root)
	}
	return files
}

// outside reports whether the go command would leave the directory out of the module.
func outside(dir string) bool {
	base := filepath.Base(dir)
	if base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return true
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// parse reads one file; name is its path below the module's root.
func parse(name string, text []byte) (*source, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	return &source{
		path:  name,
		pkg:   path.Dir(name),
		test:  strings.HasSuffix(name, "_test.go"),
		lines: bytes.Count(text, []byte("\n")),
		set:   set,
		ast:   tree,
	}, err
}

// at is the position of a node, as a terminal or an editor makes a link of it.
func (s *source) at(n ast.Node) string {
	p := s.set.Position(n.Pos())
	return s.path + ":" + strconv.Itoa(p.Line)
}

// imported returns the import path that a spec names.
func imported(spec *ast.ImportSpec) string {
	p, _ := strconv.Unquote(spec.Path.Value) // the parser has accepted it
	return p
}

// version is the last element of the import path of a module from its second major version on.
var version = regexp.MustCompile(`/v[0-9]+$`)

// names maps the name under which each import is known in the file to its import path.
func (s *source) names() map[string]string {
	names := make(map[string]string, len(s.ast.Imports))
	for _, spec := range s.ast.Imports {
		p := imported(spec)
		name := path.Base(version.ReplaceAllString(p, ""))
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = p
	}
	return names
}

// document returns a document's text, or "" when there is none.
func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}
