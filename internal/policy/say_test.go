package policy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// What fmt would check of its formats: every says in the package has an argument for each %s, no other
// verb, and no more arguments than a say holds.
func TestEverySaysHasItsArguments(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, name := range files {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if fun, ok := call.Fun.(*ast.Ident); !ok || fun.Name != "says" {
				return true
			}
			seen++
			lit, ok := call.Args[0].(*ast.BasicLit)
			if !ok {
				t.Errorf("%s: the format is no literal", fset.Position(call.Pos()))
				return true
			}
			format, _ := strconv.Unquote(lit.Value)
			args := len(call.Args) - 1
			if n := strings.Count(format, "%s"); n != args || n != strings.Count(format, "%") || n > maxArgs {
				t.Errorf("%s: %d arguments for %q", fset.Position(call.Pos()), args, format)
			}
			return true
		})
	}
	if seen < 40 {
		t.Errorf("only %d calls were found", seen)
	}
}
