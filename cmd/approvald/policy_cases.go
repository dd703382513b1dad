package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/approvald/approvald/internal/corpus"
)

func newPolicyTestCommand() *cobra.Command {
	var kinds, ids []string
	cmd := &cobra.Command{
		Use:   "test FILE…",
		Short: "Run tables of cases against the policy engine",
		Long: `Run the cases of each file (- for standard input), one JSON object a line: what is asked, under which
rules, and what must and must not become of it. Each case gets a daemon of its own, in memory, and
travels over the wire as an agent's request would. testdata/corpus/SCHEMA.md says what a case holds.

A summary by kind is printed, then each case that did not pass, with the reason. Cases that are
contested are run and told about, and count for nothing. Exit code 1: a case failed.`,
		Example: `  approvald policy test testdata/corpus/open.jsonl --kind shell_bypass`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			for _, kind := range kinds {
				if !slices.Contains(corpus.Kinds, kind) {
					return exitf(exitUsage, "--kind %s is none of %s", kind, strings.Join(corpus.Kinds, ", "))
				}
			}
			cases, err := readCases(cmd.InOrStdin(), files)
			if err != nil {
				return err
			}
			total := len(cases)
			cases = slices.DeleteFunc(cases, func(c corpus.Case) bool {
				// One that cannot be read may be of any kind, and must not look passed.
				return c.Fault == nil && len(kinds) > 0 && !slices.Contains(kinds, c.Kind) || len(ids) > 0 && !slices.Contains(ids, c.ID)
			})
			if len(cases) == 0 {
				return exitf(exitUsage, "none of %d cases is of that --kind and --id", total)
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			self, err := os.Executable()
			if err != nil {
				return fmt.Errorf("find this program, which cases start: %w", err)
			}
			report, err := corpus.Run(ctx, cases, self)
			if err != nil {
				return fmt.Errorf("the cases were not all run: %w", err)
			}
			var told strings.Builder
			if err := report.Write(&told); err != nil {
				return err
			}
			for line := range strings.Lines(told.String()) { // of texts that are hostile for a reason
				fmt.Fprintln(cmd.OutOrStdout(), visible(strings.TrimSuffix(line, "\n")))
			}
			if report.Failed() {
				return exitf(exitFailure, "%s failed", counted(report.Count("", corpus.Failed), "case"))
			}
			return nil
		},
	}
	cmd.Flags().StringSliceVar(&kinds, "kind", nil, "run the cases of these kinds alone: "+strings.Join(corpus.Kinds, ", "))
	cmd.Flags().StringSliceVar(&ids, "id", nil, "run the cases with these ids alone")
	completeWith(cmd, "kind", corpus.Kinds...)
	return cmd
}

// readCases reads all files. What cannot be read of any is an error: a case
// that is not run looks like one that passed.
func readCases(stdin io.Reader, files []string) (cases []corpus.Case, err error) {
	var faults []error
	for _, file := range files {
		more, err := readCaseFile(stdin, file)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", file, err))
		}
		cases = append(cases, more...)
	}
	return cases, errors.Join(faults...)
}

func readCaseFile(stdin io.Reader, file string) ([]corpus.Case, error) {
	if file == standardInput {
		return corpus.Read(stdin)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, unwrapPath(err)
	}
	defer f.Close()
	return corpus.Read(f)
}
