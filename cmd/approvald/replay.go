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
ids and the files that the scenario brings. For each that is answered as recorded it
prints what that proves; for each that is not, the first line that differs, with both
sides, and the exit code is 1.

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
				line, err := replayed(ctx, file, play)
				if errors.Is(err, context.Canceled) {
					return err
				}
				if err != nil {
					failed++
					fmt.Fprintln(cmd.OutOrStdout(), err)
					continue
				}
				fmt.Fprintln(cmd.OutOrStdout(), line)
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

// replayed has one scenario played, and is the line that says so and what it proves.
func replayed(ctx context.Context, file string, play func(context.Context, string, *scenario.Scenario) (string, error)) (string, error) {
	s, err := scenario.Load(file)
	if err != nil {
		return "", err
	}
	what, err := play(ctx, file, s)
	return fmt.Sprintf("%-7s %s: %s", what, file, visible(s.Title())), err
}

// playScenario compares one scenario with the daemon.
func playScenario(ctx context.Context, _ string, s *scenario.Scenario) (what string, err error) {
	return "ok", s.Play(ctx)
}

// updateScenario rewrites one scenario, if there is anything to rewrite.
func updateScenario(ctx context.Context, file string, s *scenario.Scenario) (what string, err error) {
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
