package arch

import (
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strings"
)

// find returns the place of a package of the module.
func find(table []place, pkg string) (place, bool) {
	i := slices.IndexFunc(table, func(p place) bool { return p.pkg == pkg })
	if i < 0 {
		return place{}, false
	}
	return table[i], true
}

// held reports whether the map applies to a file: tests, and the programs under tests/ that
// measure and break the others, may import anything.
func held(f *source) bool { return !f.test && !strings.HasPrefix(f.pkg, "tests/") }

func unlisted(table []place, files []*source) []string {
	var faults []string
	seen := map[string]bool{}
	for _, f := range files {
		if _, ok := find(table, f.pkg); ok || !held(f) || seen[f.pkg] {
			continue
		}
		seen[f.pkg] = true
		faults = append(faults, fmt.Sprintf("package %s is not on the map: give it a line in "+
			"internal/arch/arch_test.go, one row above the highest package that it imports, and "+
			"a line in ARCHITECTURE.md; if no row fits, the code belongs elsewhere", f.pkg))
	}
	return faults
}

func missing(table []place, files []*source) []string {
	var faults []string
	for _, p := range table {
		if !slices.ContainsFunc(files, func(f *source) bool { return held(f) && f.pkg == p.pkg }) {
			faults = append(faults, fmt.Sprintf("the map has a line for %s, which has no code: "+
				"remove the line here and in ARCHITECTURE.md, so that a reader can trust both", p.pkg))
		}
	}
	return faults
}

func imports(table []place, files []*source) []string {
	var faults []string
	for _, f := range files {
		from, ok := find(table, f.pkg)
		if !ok || !held(f) {
			continue
		}
		for _, spec := range f.ast.Imports {
			pkg, ours := strings.CutPrefix(imported(spec), module)
			if !ours {
				continue
			}
			if why := from.refuses(table, pkg); why != "" {
				faults = append(faults, fmt.Sprintf("%s: %s must not import %s: %s",
					f.at(spec), f.pkg, pkg, why))
			}
		}
	}
	return faults
}

// refuses says why p must not import pkg, or "" when it may.
func (p place) refuses(table []place, pkg string) string {
	to, ok := find(table, pkg)
	switch {
	case !ok:
		return "it is not on the map in internal/arch/arch_test.go"
	case slices.Contains(p.also, pkg):
		return ""
	case p.only != nil && !slices.Contains(p.only, pkg):
		return fmt.Sprintf("it may import %q of this module and nothing else, so that it can "+
			"be used and understood apart from the rest", p.only)
	case slices.Contains(p.never, pkg):
		return "what it needs of that package it declares as an interface of its own and is " +
			"given, so that nothing goes round the layer between (design §12)"
	case p.pure && !to.pure:
		return "a pure package that imports the shell is no longer a function of its arguments"
	case to.row >= p.row && p.only == nil:
		return fmt.Sprintf("row %d imports lower rows only and that is row %d: move what is "+
			"shared down, or hand it in from above", p.row, to.row)
	}
	return ""
}

func tooLong(_ []place, files []*source) []string {
	var faults []string
	for _, f := range files {
		if f.lines > longest && !ast.IsGenerated(f.ast) {
			faults = append(faults, fmt.Sprintf("%s has %d lines, more than %d: split it by what "+
				"a reader looks for", f.path, f.lines, longest))
		}
	}
	return faults
}

// sleeps finds tests that wait for a length of real time: too short on a slow machine and too
// long on every other. In a synctest bubble a sleep takes no time and wakes exactly when due.
func sleeps(_ []place, files []*source) []string {
	var faults []string
	for _, f := range files {
		names := f.names()
		if !f.test || names["synctest"] == "testing/synctest" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && refers(sel, names, "time", "Sleep") {
				faults = append(faults, f.at(sel)+": a test must not sleep: wait for the event "+
					"itself (a channel, a line of output, the peer's answer) or run in a "+
					"testing/synctest bubble")
			}
			return true
		})
	}
	return faults
}

// undocumented finds packages that ARCHITECTURE.md does not name. No text, no map to compare.
func undocumented(table []place, text string) []string {
	var faults []string
	for _, p := range table {
		name := regexp.MustCompile(`(^|[^\w/])` + regexp.QuoteMeta(p.pkg) + `($|[^\w/])`)
		if text != "" && !name.MatchString(text) {
			faults = append(faults, fmt.Sprintf("ARCHITECTURE.md does not name %s: its map is what "+
				"a newcomer reads first and must be whole", p.pkg))
		}
	}
	return faults
}
