package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/approvald/approvald/internal/scenario"
)

// newReplayCommand plays recorded scenarios (protocol §10).
func newReplayCommand() *cobra.Command {
	var update bool
	cmd := &cobra.Command{
		Use:   "replay FILE…",
		Short: "Play recorded scenarios against a fresh daemon, byte for byte",
		Long: `replay plays each scenario against a fresh daemon in this process, with the clock, the
ids and the files that the scenario brings. For each that is not answered as recorded
it prints the first line that differs, with both sides, and the exit code is 1.

With --update the server's lines are rewritten instead. Read what changed before you
commit it: a recording is right only if the protocol says so.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			play := playScenario
			if update {
				play = updateScenario
			}
			failed := 0
			for _, file := range files {
				what, err := play(ctx, file)
				if errors.Is(err, context.Canceled) {
					return err
				}
				if err != nil {
					failed++
					fmt.Fprintln(cmd.OutOrStdout(), err)
					continue
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%-7s %s\n", what, file)
			}
			if failed > 0 {
				return exitf(exitFailure, "%d of %d scenarios failed", failed, len(files))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&update, "update", false, "rewrite the server's lines of each file")
	return cmd
}

// playScenario compares one scenario with the daemon.
func playScenario(ctx context.Context, file string) (what string, err error) {
	s, err := scenario.Load(file)
	if err != nil {
		return "", err
	}
	return "ok", s.Play(ctx)
}

// updateScenario rewrites one scenario, if there is anything to rewrite.
func updateScenario(ctx context.Context, file string) (what string, err error) {
	s, err := scenario.Load(file)
	if err != nil {
		return "", err
	}
	recorded, err := s.Record(ctx)
	if err != nil {
		return "", err
	}
	before, err := os.ReadFile(file)
	if err != nil || bytes.Equal(before, recorded) {
		return "ok", err
	}
	return "updated", os.WriteFile(file, recorded, 0o600) // keeps the mode that the file has
}
