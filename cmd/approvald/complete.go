package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// completeTimeout bounds what a press of the tab key may take.
const completeTimeout = time.Second

// completeWith offers the values of a flag that takes one of a few.
func completeWith(cmd *cobra.Command, flag string, values ...string) {
	// The only error is a flag that does not exist, which every run would show.
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err)
	}
}

// completeShow offers the ids of what is pending.
func completeShow(dirs *directories) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return pendingIDs(cmd.Context(), dirs), cobra.ShellCompDirectiveNoFileComp
	}
}

// choicesOfMany are what several approvals may offer.
var choicesOfMany = []cobra.Completion{string(wire.ChoiceAllowOnce), string(wire.ChoiceAllowAllOnce), string(wire.ChoiceAllowSession), string(wire.ChoiceAbort)}

// completeDecide offers ids, then the menu of the approval; of several the usual choices.
func completeDecide(dirs *directories) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		all, _ := cmd.Flags().GetBool("all")
		switch {
		case all && len(args) == 0, !all && len(args) == 1 && args[0] == fromInput:
			return choicesOfMany, cobra.ShellCompDirectiveNoFileComp
		case all:
		case len(args) == 0:
			return pendingIDs(cmd.Context(), dirs), cobra.ShellCompDirectiveNoFileComp
		case len(args) == 1:
			return menuOf(cmd.Context(), dirs, args[0]), cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// Completions say nothing of an error: the command that is being typed will.

func pendingIDs(ctx context.Context, dirs *directories) (ids []cobra.Completion) {
	withPending(ctx, dirs, func(r wire.ApprovalRequest) {
		ids = append(ids, cobra.CompletionWithDesc(r.ApprovalID, clip(subjectLine(r.Subject), subjectWidth)))
	})
	return ids
}

func menuOf(ctx context.Context, dirs *directories, prefix string) (choices []cobra.Completion) {
	withPending(ctx, dirs, func(r wire.ApprovalRequest) {
		if common(r.ApprovalID, prefix) < len(prefix) {
			return
		}
		for _, c := range r.AvailableChoices {
			choices = append(choices, cobra.CompletionWithDesc(visible(string(c.ChoiceID)), visible(c.Label)))
		}
	})
	return choices
}

func withPending(ctx context.Context, dirs *directories, fn func(wire.ApprovalRequest)) {
	ctx, cancel := context.WithTimeout(ctx, completeTimeout)
	defer cancel()
	c, err := dirs.connect(ctx, "host", client.Options{Role: wire.RoleReviewer})
	if err != nil {
		return
	}
	defer c.Close()
	for r, err := range pendingOf(ctx, c, "") {
		if err != nil {
			return
		}
		fn(r)
	}
}
