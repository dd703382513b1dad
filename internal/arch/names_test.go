package arch

import (
	"fmt"
	"go/ast"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What a document names of the suite: a test, and a file that a test plays. A name that ends in
// capitals, as NAME.ndjson, stands for any.
var (
	testName     = regexp.MustCompile(`\b(?:Test|Fuzz)[A-Z]\w*`)
	recordedName = regexp.MustCompile(`[\w-]*[a-z0-9]\.(?:ndjson|txtar)\b`)
)

// documents are those that say which test holds what, by their path.
func documents(t *testing.T, root string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(root + "/docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ARCHITECTURE.md", "CONTRIBUTING.md", "tests/README.md"} {
		paths = append(paths, root+"/"+name)
	}
	texts := make(map[string]string, len(paths))
	for _, p := range paths {
		rel, err := filepath.Rel(root, p)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.ToSlash(rel)] = document(t, p)
	}
	return texts
}

// suite is the set of names that a document may use: the test functions of the files, and the
// recordings and scripts below root.
func suite(t *testing.T, root string, files []*source) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, f := range files {
		for _, decl := range f.ast.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && f.test && fn.Recv == nil {
				names[fn.Name.Name] = true
			}
		}
	}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && name != root && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir // what git keeps comes and goes
		}
		if recordedName.MatchString(name) {
			names[filepath.Base(name)] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// unfounded finds names of a document that the suite does not have.
func unfounded(doc, text string, suite map[string]bool) []string {
	var faults []string
	for i, line := range strings.Split(text, "\n") {
		for _, name := range append(testName.FindAllString(line, -1), recordedName.FindAllString(line, -1)...) {
			if !suite[name] {
				faults = append(faults, fmt.Sprintf("%s:%d names %s, which is not in the tree: name what "+
					"holds the promise now, so that a reader can run it", doc, i+1, name))
			}
		}
	}
	return faults
}

// unheld finds rows of a document's tables that have a column "held by" and name nothing in it. A
// row that nothing holds says so: its last cell begins with "none".
func unheld(doc, text string) []string {
	var faults []string
	holds := false
	for i, line := range strings.Split(text, "\n") {
		cells := strings.Split(strings.Trim(line, "| "), "|")
		last := strings.TrimSpace(cells[len(cells)-1])
		switch {
		case !strings.HasPrefix(line, "|"):
			holds = false
		case last == "held by":
			holds = true
		case !holds, strings.Trim(last, "-") == "", strings.HasPrefix(last, "none"),
			testName.MatchString(last), recordedName.MatchString(last):
		default:
			faults = append(faults, fmt.Sprintf("%s:%d names no test and no recording that holds it: "+
				"a package is too large to look for one in; where there is none, say none and why", doc, i+1))
		}
	}
	return faults
}
