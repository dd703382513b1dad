package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/approvald/approvald/internal/rulefile"
)

// checkReport is what policy check found.
type checkReport struct {
	Layers  []layerRow    `json:"layers"`
	Mode    string        `json:"mode,omitzero"`
	Ceiling string        `json:"ceiling,omitzero"`
	Other   string        `json:"fault,omitzero"` // what is wrong with no file by itself
	Daemon  *daemonAnswer `json:"daemon,omitempty"`
}

// layerRow is one policy file.
type layerRow struct {
	Layer     string     `json:"layer"`
	File      string     `json:"file"`
	Workspace string     `json:"workspace,omitzero"` // of a store
	Found     bool       `json:"found"`
	Rules     int        `json:"rules"`
	Tools     int        `json:"tools"`
	Settings  []string   `json:"settings,omitempty"` // "key value"
	Faults    []faultRow `json:"faults,omitempty"`
}

// faultRow is one thing that is wrong with a file.
type faultRow struct {
	File string `json:"file"`
	Line int    `json:"line,omitzero"`
	Why  string `json:"why"`
}

// faultsOf takes an error of the loader apart.
func faultsOf(err error) []faultRow {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var rows []faultRow
		for _, each := range joined.Unwrap() {
			rows = append(rows, faultsOf(each)...)
		}
		return rows
	}
	if fault, ok := errors.AsType[*rulefile.Fault](err); ok {
		return []faultRow{{fault.File, fault.Line, fault.Why}}
	}
	return []faultRow{{Why: err.Error()}}
}

// String is the form that editors jump to.
func (f faultRow) String() string {
	if f.File == "" {
		return f.Why
	}
	return (&rulefile.Fault{File: f.File, Line: f.Line, Why: f.Why}).Error()
}

func (r checkReport) faults() (n int) {
	for _, row := range r.Layers {
		n += len(row.Faults)
	}
	if r.Other != "" {
		n++
	}
	return n
}

// good reports whether nothing was found wrong.
func (r checkReport) good() bool { return r.faults() == 0 }

// refusal is the error of a policy that cannot be in force; nil for a good one.
func (r checkReport) refusal() error {
	switch n := r.faults(); n {
	case 0:
		return nil
	case 1:
		return exitf(exitUsage, "the policy has a fault, so a daemon would not take it")
	default:
		return exitf(exitUsage, "the policy has %d faults, so a daemon would not take it", n)
	}
}

// print writes the report for people.
func (r checkReport) print(w io.Writer) error {
	t := newTable(w, "LAYER", "FILE", "HAS")
	for _, row := range r.Layers {
		t.row(row.Layer, visible(row.File), visible(row.has()))
	}
	if err := t.end(); err != nil {
		return err
	}
	for _, row := range r.Layers {
		for _, f := range row.Faults {
			fmt.Fprintln(w, visible(f.String()))
		}
	}
	if r.Other != "" {
		fmt.Fprintln(w, visible(r.Other))
	}
	if r.Mode != "" {
		fmt.Fprintf(w, "mode %s\n", r.Mode)
	}
	if r.Ceiling != "" {
		fmt.Fprintf(w, "ceiling %s\n", r.Ceiling)
	}
	if r.good() {
		fmt.Fprintln(w, "the policy is good")
	}
	if r.Daemon != nil {
		fmt.Fprintln(w, visible(r.Daemon.sentence(r.good())))
	}
	return nil
}

// has says in a few words what is in a file.
func (row layerRow) has() string {
	switch n := len(row.Faults); {
	case n == 1:
		return "a fault"
	case n > 1:
		return fmt.Sprintf("%d faults", n)
	case !row.Found:
		return "nothing: the file is not there"
	}
	parts := []string{counted(row.Rules, "rule")}
	if row.Tools > 0 {
		parts = append(parts, counted(row.Tools, "tool"))
	}
	parts = append(parts, row.Settings...)
	if row.Workspace != "" {
		parts = append(parts, "for "+row.Workspace)
	}
	return strings.Join(parts, ", ")
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
