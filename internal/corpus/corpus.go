package corpus

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// Report is the verdict on a corpus.
type Report struct {
	Results []Result // in the order of the cases
}

// Run runs cases one after another, each against a daemon of its own, and judges them. Its error is
// that of ctx; whatever else goes wrong is in the result of the case.
//
// Program is the file of approvald itself, for steps in which an agent starts it; "" where there is
// none, and cases with such steps are not run.
func Run(ctx context.Context, cases []Case, program string) (Report, error) {
	var out Report
	for i := range cases {
		result, err := RunCase(ctx, &cases[i], program)
		if err != nil {
			return out, err
		}
		out.Results = append(out.Results, result)
	}
	return out, nil
}

// RunCase runs one case, as Run does. Its error is that of ctx.
func RunCase(ctx context.Context, c *Case, program string) (Result, error) {
	return judge(ctx, c, program), ctx.Err()
}

// Failed reports whether a case that is not contested has failed.
func (r Report) Failed() bool {
	return slices.ContainsFunc(r.Results, func(one Result) bool { return one.Status == Failed })
}

// Count is how many cases of a kind have a status; an empty kind or status stands for any.
func (r Report) Count(kind string, status Status) int {
	n := 0
	for _, one := range r.Results {
		if (kind == "" || one.Case.Kind == kind) && (status == "" || one.Status == status) {
			n++
		}
	}
	return n
}

// statuses are the columns of a report.
var statuses = []Status{Passed, Failed, Contested, NotRun}

// Write writes a table by kind, and what became of each case that has not passed.
func (r Report) Write(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight|tabwriter.TabIndent)
	fmt.Fprintln(table, "kind\tcases\tpassed\tfailed\tcontested\tnot run\t")
	row := func(name, kind string) {
		fmt.Fprintf(table, "%s\t%d", name, r.Count(kind, ""))
		for _, status := range statuses {
			fmt.Fprintf(table, "\t%d", r.Count(kind, status))
		}
		fmt.Fprint(table, "\t\n")
	}
	known := 0
	for _, kind := range Kinds {
		known += r.Count(kind, "")
		if r.Count(kind, "") > 0 {
			row(strings.ReplaceAll(kind, "_", " "), kind)
		}
	}
	if rest := len(r.Results) - known; rest > 0 {
		fmt.Fprintf(table, "of no kind\t%d\t0\t%d\t0\t0\t\n", rest, rest) // cases that cannot be read
	}
	row("all", "")
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	for _, status := range statuses[1:] {
		for _, one := range r.Results {
			if one.Status == status {
				fmt.Fprintln(w, one)
			}
		}
	}
	return nil
}

// String is one line about a case.
func (r Result) String() string {
	text := fmt.Sprintf("%s  %s  %s (%s)", r.Status, r.Case.ID, r.Case.Title, r.Case.Topic)
	switch {
	case r.Status == Contested && r.Why == "":
		text += ": as wanted"
	case r.Status == NotRun:
		text += ": needs " + r.Why
	case r.Why != "":
		text += ": " + r.Why
	}
	return text
}
