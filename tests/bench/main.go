// Bench measures approvald against the yardsticks of perf §9 and prints the ratios beside their
// targets. It is what `make bench` runs, from the root of the repository.
//
// It measures nothing itself: it runs the Go benchmarks that stand beside the code, each yardstick
// next to what it is held against, in several rounds, and takes the median of the rounds' ratios.
// A ratio that misses its target is shown and is no failure: on a shared machine a person judges.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	rounds := flags.Int("rounds", 5, "how often every benchmark runs")
	benchtime := flags.String("benchtime", "500ms", "how long, or (as in 100x) how many operations, it runs each time")
	only := flags.String("only", "", "a regular expression: only the rows whose target or name it matches")
	if err := flags.Parse(args); err != nil {
		return err
	}
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	rows := selected(comparisons, pattern)
	if len(rows) == 0 {
		return fmt.Errorf("-only %q matches no row", *only)
	}
	suites, clean, err := compile(ctx, rows, stderr)
	if err != nil {
		return err
	}
	defer clean()
	var cpu string
	measured := make([]round, *rounds)
	for n := range measured {
		measured[n] = make(round)
		for _, s := range suites {
			fmt.Fprintf(stderr, "round %d of %d: %s\n", n+1, *rounds, s.pkg)
			if err := s.run(ctx, *benchtime, measured[n], &cpu); err != nil {
				return err
			}
		}
	}
	results, err := judge(rows, measured)
	if err != nil {
		return err
	}
	return write(stdout, results, machine(cpu))
}
