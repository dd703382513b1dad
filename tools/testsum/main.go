// Testsum reads the stream of `go test -json` on standard input and prints what a person
// needs of it: go's own line for each package, the whole output of each test that failed,
// the reason of each test that was skipped (plain `go test` hides it), and as its last line
//
//	N passed, N failed, N skipped
//
// where subtests count like tests. It exits 1 when anything failed or when nothing ran.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
)

func main() {
	ok, err := run(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testsum: the test stream could not be read or printed:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// run copies the stream from in to out in its readable form and reports whether every
// package passed and at least one test ran.
func run(in io.Reader, out io.Writer) (bool, error) {
	w := bufio.NewWriter(out)
	s := newSummary(w)
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			s.line(line)
		}
		// A package may take minutes: each line is shown when it arrives.
		if ferr := w.Flush(); ferr != nil {
			return false, ferr
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return false, err
		}
	}
	ok := s.close()
	return ok, w.Flush()
}
