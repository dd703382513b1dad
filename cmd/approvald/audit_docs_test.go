package main

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"mvdan.cc/sh/v3/shell"

	"github.com/approvald/approvald/internal/audit"
)

func auditGuide(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/AUDIT.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What docs/AUDIT.md shows is what approvald prints.
func TestTheAuditGuideShowsWhatAuditPrints(t *testing.T) {
	p := newPlace(t)
	if err := writeTale(filepath.Join(p.state, logFile)); err != nil {
		t.Fatal(err)
	}
	examples := 0
	for _, f := range fences(auditGuide(t)) {
		if f.info != "console" {
			continue
		}
		for example := range strings.SplitSeq(strings.TrimPrefix(f.text, "$ "), "\n$ ") {
			examples++
			line, want, _ := strings.Cut(example, "\n")
			words, err := shell.Fields(line, nil)
			if err != nil || words[0] != "approvald" {
				t.Fatalf("line %d: %s is no call of approvald (%v)", f.line, line, err)
			}
			cmd := p.command(t, words[1:]...)
			cmd.Env = append(cmd.Env, "TZ=UTC")
			got, err := cmd.Output()
			if err != nil {
				t.Errorf("%s: %v", line, err)
			}
			shown := strings.ReplaceAll(string(got), p.state, "/home/you/.local/state/approvald")
			if diff := cmp.Diff(strings.TrimSpace(want), strings.TrimSpace(shown)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", line, diff)
			}
		}
	}
	if examples < 6 {
		t.Errorf("only %d examples were found", examples)
	}
}

// docs/AUDIT.md describes the members of a line, all and no others.
func TestTheAuditGuideDescribesEveryMember(t *testing.T) {
	rows := regexp.MustCompile("(?m)^\\| `([^`]+)` \\|")
	var got []string
	for _, m := range rows.FindAllStringSubmatch(auditGuide(t), -1) {
		got = append(got, m[1])
	}
	var want []string
	for _, e := range audit.Events() {
		want = append(want, string(e))
	}
	want = append(want, members("", reflect.TypeFor[audit.Line]())...)
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("described (-want +got):\n%s", diff)
	}
}

// members are the names of an object's members, those of objects in it with
// their way.
func members(way string, form reflect.Type) (names []string) {
	for f := range form.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			continue
		}
		names = append(names, way+name)
		inner := f.Type
		for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct {
			names = append(names, members(way+name+".", inner)...)
		}
	}
	return names
}

// splitSaid counts the objects that were printed, and finds approvald's own
// sentence.
func splitSaid(said string) (objects int, sentence string) {
	for line := range strings.Lines(said) {
		switch {
		case strings.HasPrefix(line, "{"):
			objects++
		case strings.HasPrefix(line, "approvald: "):
			sentence = line
		}
	}
	return objects, sentence
}
