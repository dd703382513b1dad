package main

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

var header = []string{"", "", "approvald", "yardstick", "ratio", "rounds", "target", ""}

// write prints the results as a table in Markdown, and under it the machine.
func write(w io.Writer, results []result, machine string) error {
	rows := [][]string{header, nil}
	for _, r := range results {
		rows = append(rows, r.cells())
	}
	widths := make([]int, len(header))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	rows[1] = make([]string, len(header))
	for i, width := range widths {
		rows[1][i] = strings.Repeat("-", width)
	}
	var b strings.Builder
	for _, row := range rows {
		b.WriteByte('|')
		for i, cell := range row {
			b.WriteByte(' ')
			b.WriteString(cell)
			b.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)))
			b.WriteString(" |")
		}
		b.WriteByte('\n')
	}
	_, err := fmt.Fprintf(w, "%s\n%s\n", b.String(), machine)
	return err
}

func (r result) cells() []string {
	return []string{
		r.id, r.name, quantity(r.ours, r.unit), quantity(r.yardstick, r.unit), ratio(r.ratio),
		ratio(r.lowest) + " to " + ratio(r.highest), r.target.String(), r.verdict(),
	}
}

func (r result) verdict() string {
	switch {
	case r.target == target{}:
		return ""
	case r.target.met(r.ratio):
		return "ok"
	}
	return "miss"
}

// String is the target as the table shows it.
func (t target) String() string {
	switch {
	case t.atLeast > 0:
		return fmt.Sprintf("≥ %g", t.atLeast)
	case t.atMost > 0:
		return fmt.Sprintf("≤ %g", t.atMost)
	}
	return ""
}

func ratio(x float64) string {
	if x >= 10 {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

// quantity is a figure with its unit, in the few digits that mean something.
func quantity(x float64, unit string) string {
	switch unit {
	case p50, perOp:
		precision := time.Microsecond
		if x < float64(100*time.Microsecond) {
			precision = 100 * time.Nanosecond
		}
		return time.Duration(x).Round(precision).String()
	case p99to50:
		return fmt.Sprintf("%.1f×", x)
	case perSecond, records:
		return fmt.Sprintf("%.0f/s", x)
	case written:
		return fmt.Sprintf("%.0f B", x)
	}
	return fmt.Sprintf("%g %s", x, unit)
}
