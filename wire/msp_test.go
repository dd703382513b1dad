package wire

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mspRow is a row of a table of docs/MSP.md: a method, or a code with its kind.
var mspRow = regexp.MustCompile("(?m)^\\| (?:`([a-zA-Z]+(?:/[a-zA-Z]+)?)`|(-\\d{5}) \\| `(\\w+)`) \\| ([^|]*?) *\\|")

var (
	mspName = regexp.MustCompile("`([a-zA-Z]+/[a-zA-Z]+)`")
	mspCode = regexp.MustCompile(`(-\d{5})\s` + "`" + `(\w+)`)
)

// A client's author reads docs/MSP.md to know what there is: what it says is served is in
// the method table, and nothing of the tables is missing.
func TestTheTablesOfMSPAreThoseOfTheMethodTable(t *testing.T) {
	text, err := os.ReadFile("../docs/MSP.md")
	if err != nil {
		t.Fatal(err)
	}
	tables, own, found := strings.Cut(string(text), "\n## approvald's own\n")
	if !found {
		t.Fatal("the section about what is approvald's own is gone")
	}
	_, notifications, _ := strings.Cut(tables, "\n## Notifications")
	methods, codes := map[string]bool{}, map[int]bool{}
	for _, row := range mspRow.FindAllStringSubmatch(tables, -1) {
		name, code, kind, says := row[1], row[2], row[3], row[4]
		if name != "" {
			checkMSPMethod(t, name, says, strings.Contains(notifications, row[0]))
			methods[name] = true
			continue
		}
		n, _ := strconv.Atoi(code)
		codes[n] = true
		spec, ours := LookupError(n)
		if served := strings.HasPrefix(says, "served"); served && (!ours || string(spec.Kind) != kind) || ours && string(spec.Kind) != kind {
			t.Errorf("%s is said to be the kind %s: %s", code, kind, says)
		}
	}
	for _, m := range mspName.FindAllStringSubmatch(own, -1) {
		if methods[m[1]] {
			t.Errorf("%s is said to be MSP's and approvald's own", m[1])
		}
		methods[m[1]] = true
	}
	for _, m := range mspCode.FindAllStringSubmatch(own, -1) {
		n, _ := strconv.Atoi(m[1])
		if spec, ok := LookupError(n); !ok || string(spec.Kind) != m[2] {
			t.Errorf("%s is not the code of %s", m[1], m[2])
		}
		codes[n] = true
	}
	for _, m := range Methods {
		if !methods[m.Name] {
			t.Errorf("%s is not in docs/MSP.md", m.Name)
		}
	}
	for _, e := range Errors {
		if !codes[e.Code] {
			t.Errorf("%d is not in docs/MSP.md", e.Code)
		}
	}
	if len(methods) < len(Methods) || len(codes) < len(Errors) {
		t.Errorf("%d methods and %d errors were found", len(methods), len(codes))
	}
}

func checkMSPMethod(t *testing.T, name, says string, notification bool) {
	t.Helper()
	spec, ours := LookupMethod(name)
	requests := []MethodKind{CommandMethod, QueryMethod}
	switch {
	case says == "served" && !ours, says != "served" && ours:
		t.Errorf("%s is said to be %q, and the method table has it: %v", name, says, ours)
	case ours && slices.Contains(requests, spec.Kind) == notification:
		t.Errorf("%s is a %s and stands in the wrong table", name, spec.Kind)
	case !slices.Contains([]string{"served", "-32601", "never sent"}, says), says == "-32601" && notification, says == "never sent" && !notification:
		t.Errorf("%s: %q is no answer", name, says)
	}
}
