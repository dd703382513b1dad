package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// impure are the standard packages that a pure package must not import, each with everything
// below it except what soundParts names.
var impure = map[string]string{
	"crypto/rand": "is randomness: take the bytes or the id as an argument",
	"io/ioutil":   "is I/O: take the content as an argument",
	"log":         "is logging: return what there is to say",
	"math/rand":   "is randomness: take the number as an argument",
	"net":         "is I/O: take the answer as an argument",
	"os":          "is I/O: take the content, or an fs.FS, as an argument",
	"runtime":     "asks the machine: two machines must give one answer",
	"sync":        "is for sharing: a value with one owner needs no lock",
	"syscall":     "is I/O: take the answer as an argument",
	"unsafe":      "makes values that the language does not vouch for",
}

// soundParts lie below an impure package and only compute.
var soundParts = []string{"net/netip", "net/url"}

// soundNames are what a pure package may use of an impure one, and nothing else of it: a pool and
// a value made when it is first wanted save work and change no answer.
var soundNames = map[string][]string{"sync": {"OnceValue", "Pool"}}

// impureNames are what a pure package must not use of a package that it may import.
var impureNames = map[string][]string{
	"fmt":                      {"Print", "Printf", "Println", "Scan", "Scanf", "Scanln"},
	"github.com/oklog/ulid/v2": {"DefaultEntropy", "Make", "Now"},
	"path/filepath":            {"Abs", "EvalSymlinks", "Glob", "Walk", "WalkDir"},
	"time": {
		"After", "AfterFunc", "LoadLocation", "Local", "NewTicker", "NewTimer", "Now", "Since",
		"Sleep", "Tick", "Ticker", "Timer", "Until",
	},
}

// pureWhy is the reason behind every rule of this file.
const pureWhy = "a reviewer must be able to say what the answer was from the log alone, and " +
	"replay must give it again (design, invariants 4 and 7)"

func impurities(table []place, files []*source) []string {
	var faults []string
	for _, f := range files {
		p, ok := find(table, f.pkg)
		if !ok || !p.pure || !held(f) {
			continue
		}
		for _, fault := range append(impureImports(f), impureNodes(f)...) {
			faults = append(faults, fmt.Sprintf("%s (%s is pure: %s)", fault, f.pkg, pureWhy))
		}
	}
	return faults
}

// impureImports judges what a file imports; packages of this module are judged by their row.
func impureImports(f *source) []string {
	var faults []string
	for _, spec := range f.ast.Imports {
		p := imported(spec)
		if spec.Name != nil && spec.Name.Name == "." {
			faults = append(faults, fmt.Sprintf("%s: a dot import of %q hides what is used of it",
				f.at(spec), p))
		}
		if why := impureImport(p); why != "" {
			faults = append(faults, fmt.Sprintf("%s: %q %s", f.at(spec), p, why))
		}
	}
	return faults
}

func impureImport(p string) string {
	first, _, _ := strings.Cut(p, "/")
	switch {
	case strings.HasPrefix(p, module), slices.Contains(soundParts, p), soundNames[p] != nil:
		return "" // of what has sound names, impureNodes judges each
	case strings.Contains(first, "."):
		if slices.ContainsFunc(pureLibraries, func(lib string) bool { return within(p, lib) }) {
			return ""
		}
		return "is not among the libraries known to compute only: pureLibraries in " +
			"internal/arch/arch_test.go lists them"
	}
	for pkg, why := range impure {
		if within(p, pkg) {
			return why
		}
	}
	return ""
}

// within reports whether p is the package or lies below it.
func within(p, pkg string) bool { return p == pkg || strings.HasPrefix(p, pkg+"/") }

// impureNodes judges what a file does: the clock, the console, locks, goroutines and channels.
func impureNodes(f *source) []string {
	var faults []string
	names := f.names()
	add := func(n ast.Node, what string) { faults = append(faults, f.at(n)+": "+what) }
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			for pkg, banned := range impureNames {
				if refers(n, names, pkg, banned...) {
					add(n, pkg+"."+n.Sel.Name+" asks the world: take its answer as an argument")
				}
			}
			for pkg, sound := range soundNames {
				if refers(n, names, pkg, n.Sel.Name) && !slices.Contains(sound, n.Sel.Name) {
					add(n, pkg+"."+n.Sel.Name+" "+impure[pkg])
				}
			}
		case *ast.GoStmt:
			add(n, "a goroutine makes the order of things a matter of chance")
		case *ast.ChanType, *ast.SendStmt, *ast.SelectStmt:
			add(n, "a channel makes the order of things a matter of chance")
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				add(n, "a channel makes the order of things a matter of chance")
			}
		}
		return true
	})
	return faults
}

// refers reports whether sel is one of the names of the package pkg, under whatever name the
// file knows it.
func refers(sel *ast.SelectorExpr, names map[string]string, pkg string, idents ...string) bool {
	x, ok := sel.X.(*ast.Ident)
	return ok && names[x.Name] == pkg && slices.Contains(idents, sel.Sel.Name)
}
