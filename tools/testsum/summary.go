package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// event is one line of `go test -json`; see `go doc test2json` and `go help buildjson`.
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
}

// id names a test or subtest; an empty test is the package itself.
type id struct{ pkg, test string }

// summary folds events into counts and writes to w what deserves to be seen.
type summary struct {
	w       io.Writer
	output  map[id]*strings.Builder // of tests that have not ended
	skips   []string
	passed  int
	failed  int
	skipped int
	// blamed holds the packages with a failed test: one that fails without is counted itself
	// (it did not build, or it exited before or after its tests).
	blamed map[string]bool
}

func newSummary(w io.Writer) *summary {
	return &summary{w: w, output: map[id]*strings.Builder{}, blamed: map[string]bool{}}
}

// line takes one line of the stream. What is not an event is shown as it is: the go command
// reports some faults, such as a bad flag, as plain text.
func (s *summary) line(line []byte) {
	var e event
	if json.Unmarshal(line, &e) != nil || e.Action == "" {
		_, _ = s.w.Write(line) // a failed write shows at the next Flush
		return
	}
	at := id{e.Package, e.Test}
	switch {
	case e.Action == "build-output":
		fmt.Fprint(s.w, e.Output)
	case e.Test == "":
		s.packageEvent(e)
	case e.Action == "run":
		s.output[at] = &strings.Builder{}
	case e.Action == "output":
		s.keep(at, e.Output)
	case e.Action == "pass":
		s.passed++
		delete(s.output, at)
	case e.Action == "fail":
		s.fail(at)
	case e.Action == "skip":
		s.skipped++
		s.skips = append(s.skips, fmt.Sprintf("skipped: %s %s: %s", at.pkg, at.test, s.reason(at)))
		delete(s.output, at)
	}
}

// packageEvent handles what concerns a package as a whole.
func (s *summary) packageEvent(e event) {
	switch e.Action {
	case "output":
		if e.Output != "PASS\n" {
			fmt.Fprint(s.w, e.Output)
		}
	case "fail":
		for _, at := range s.unfinished(e.Package) {
			s.fail(at)
		}
		if !s.blamed[e.Package] {
			s.failed++
		}
	}
}

// unfinished returns the tests of pkg that started and never ended, in order of name: the
// process died under them.
func (s *summary) unfinished(pkg string) []id {
	var ids []id
	for at := range s.output {
		if at.pkg == pkg {
			ids = append(ids, at)
		}
	}
	slices.SortFunc(ids, func(a, b id) int { return strings.Compare(a.test, b.test) })
	return ids
}

// keep stores output of a test for the case that it fails, without the verbose mode's own
// marks, which say nothing once the output is sorted by test.
func (s *summary) keep(at id, text string) {
	trimmed := strings.TrimLeft(text, " ")
	if strings.HasPrefix(trimmed, "=== ") || strings.HasPrefix(trimmed, "--- ") {
		return
	}
	if s.output[at] == nil {
		s.output[at] = &strings.Builder{}
	}
	s.output[at].WriteString(text)
}

// fail counts a test and shows everything that it printed.
func (s *summary) fail(at id) {
	s.failed++
	s.blamed[at.pkg] = true
	fmt.Fprintf(s.w, "--- FAIL: %s (%s)\n", at.test, at.pkg)
	if b := s.output[at]; b != nil {
		fmt.Fprint(s.w, b.String())
	}
	delete(s.output, at)
}

// reason is what a test said when it skipped, on one line.
func (s *summary) reason(at id) string {
	b := s.output[at]
	if b == nil || strings.TrimSpace(b.String()) == "" {
		return "no reason given"
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// close prints the skips and the closing line, and reports whether all is well.
func (s *summary) close() bool {
	for _, line := range s.skips {
		fmt.Fprintln(s.w, line)
	}
	ran := s.passed+s.failed > 0
	if !ran {
		fmt.Fprintln(s.w, "no test ran")
	}
	fmt.Fprintf(s.w, "%d passed, %d failed, %d skipped\n", s.passed, s.failed, s.skipped)
	return ran && s.failed == 0
}
