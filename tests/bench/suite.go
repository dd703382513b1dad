package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// round holds the figures of one round: by package and benchmark, then by unit.
type round map[benchmark]map[string]float64

type benchmark struct{ pkg, name string }

// suite is a compiled test binary and which of its benchmarks the table needs.
type suite struct {
	pkg, binary string
	names       []string // of functions, without "Benchmark"
}

// compile builds the tests of every package that the rows name, in their order. clean removes what
// was built.
func compile(ctx context.Context, rows []comparison, stderr io.Writer) (suites []*suite, clean func(), err error) {
	dir, err := os.MkdirTemp("", "approvald-bench")
	if err != nil {
		return nil, nil, err
	}
	clean = func() { _ = os.RemoveAll(dir) }
	for _, s := range suitesOf(rows) {
		fmt.Fprintf(stderr, "compile %s\n", s.pkg)
		s.binary = filepath.Join(dir, strings.ReplaceAll(s.pkg, "/", "-")+".test")
		build := exec.CommandContext(ctx, "go", "test", "-c", "-o", s.binary, "./"+s.pkg)
		if out, err := build.CombinedOutput(); err != nil {
			clean()
			return nil, nil, fmt.Errorf("compile the benchmarks of %s: %w\n%s", s.pkg, err, out)
		}
		suites = append(suites, s)
	}
	return suites, clean, nil
}

func suitesOf(rows []comparison) (suites []*suite) {
	for _, c := range rows {
		i := slices.IndexFunc(suites, func(s *suite) bool { return s.pkg == c.pkg })
		if i < 0 {
			i = len(suites)
			suites = append(suites, &suite{pkg: c.pkg})
		}
		for _, full := range []string{c.ours, c.yardstick} {
			if name, _, _ := strings.Cut(full, "/"); !slices.Contains(suites[i].names, name) {
				suites[i].names = append(suites[i].names, name)
			}
		}
	}
	return suites
}

// run runs each benchmark of the suite once and enters its figures. It notes the processor's name.
func (s *suite) run(ctx context.Context, benchtime string, into round, cpu *string) error {
	cmd := exec.CommandContext(ctx, s.binary, "-test.run=^$",
		"-test.bench=^Benchmark("+strings.Join(s.names, "|")+")$", "-test.benchtime="+benchtime)
	cmd.Dir = s.pkg // tests find their testdata there
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("the benchmarks of %s: %w\n%s", s.pkg, err, out)
	}
	for line := range bytes.Lines(out) {
		if name, found := bytes.CutPrefix(line, []byte("cpu: ")); found {
			*cpu = string(bytes.TrimSpace(name))
			continue
		}
		if name, figures, ok := parse(string(line)); ok {
			into[benchmark{s.pkg, name}] = figures
		}
	}
	return nil
}

// processors is the number of processors behind the name of a benchmark.
var processors = regexp.MustCompile(`-\d+$`)

// parse reads a line of results: the name, the number of operations, then figures with units.
func parse(line string) (name string, figures map[string]float64, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
		return "", nil, false
	}
	figures = make(map[string]float64)
	for pair := range slices.Chunk(fields[2:], 2) {
		value, err := strconv.ParseFloat(pair[0], 64)
		if err != nil || len(pair) < 2 {
			return "", nil, false
		}
		figures[pair[1]] = value
	}
	name = strings.TrimPrefix(fields[0], "Benchmark")
	return processors.ReplaceAllString(name, ""), figures, true
}
