package log_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/approvald/approvald/internal/log"
)

// largestGroup is how many values the child appends at once at most.
const largestGroup = 7

// appendForEver is the child: it appends groups of 1 to 7 values and says the
// last sequence of each when, and only when, Append has returned.
func appendForEver(path string) error {
	l, err := log.Open(path)
	if err != nil {
		return err
	}
	for n := 1; ; n = n%largestGroup + 1 {
		group := make([][]byte, n)
		for i := range group {
			group[i] = []byte(text(int(l.Head()) + 1 + i))
		}
		if _, err := l.Append(group); err != nil {
			return err
		}
		if _, err := fmt.Println(l.Head()); err != nil {
			return err
		}
	}
}

// What a killed process had acknowledged is in the log, and besides that one
// group at most: acked ⊆ log ⊆ acked + one group. The same file is killed over
// and over, so that what a crash left is what the next one starts from.
func TestKilledWriterLosesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.db")
	for round := range 8 {
		c := startChild(t, "append", path)
		acked := ""
		for range 1 + round*round {
			acked = c.line(t)
		}
		if rest := c.kill(t); len(rest) > 0 {
			acked = rest[len(rest)-1]
		}
		last, err := strconv.ParseUint(acked, 10, 64)
		if err != nil {
			t.Fatal(err)
		}

		l := openAt(t, path)
		if head := l.Head(); head < last || head > last+largestGroup {
			t.Fatalf("round %d: head is %d, want %d and one group more at most", round, head, last)
		}
		for i, v := range scan(t, l, 1) {
			if v != text(i+1) {
				t.Fatalf("round %d: sequence %d holds %q", round, i+1, v)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
