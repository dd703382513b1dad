package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

// decision is what the flags of decide say.
type decision struct {
	session     string
	feedback    string
	requirement int
	commandID   string
	asJSON      bool
}

func newDecideCommand(dirs *directories) *cobra.Command {
	var d decision
	cmd := &cobra.Command{
		Use:   "decide ID CHOICE",
		Short: "Decide an approval",
		Long: `Decide the approval whose id begins with ID by selecting CHOICE from its menu. The first
decision that is durable wins; who comes later is told who won, exit code 5.

A decision whose answer got lost is repeated with the --command-id that was printed: it happens
once, and is answered as the first time.`,
		Example: `  approvald decide 0198f0ac-7777 allow_once
  approvald decide 0198f0ac-7777 abort --feedback 'use the staging database'`,
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: completeDecide(dirs),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := dirs.connect(cmd.Context(), "host", client.Options{Role: wire.RoleReviewer})
			if err != nil {
				return err
			}
			defer c.Close()
			return d.run(cmd, c, args[0], wire.ChoiceID(args[1]))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&d.feedback, "feedback", "", "what the agent is told, for a choice that takes it")
	flags.IntVar(&d.requirement, "requirement", 0, "the stage, from 0 (default: the one whose turn it is)")
	flags.StringVar(&d.commandID, "command-id", "", "repeat the decision with this id (default: a new one)")
	sessionFlag(cmd, &d.session)
	jsonFlag(cmd, &d.asJSON, "print the ack as one JSON object")
	return cmd
}

func (d *decision) run(cmd *cobra.Command, c *client.Client, prefix string, choice wire.ChoiceID) error {
	ctx := cmd.Context()
	ref, err := find(ctx, c, prefix, d.session)
	if err != nil {
		return err
	}
	if ref.prompt != "" {
		return exitf(exitFailure, "%s is a prompt and takes answers, not a decision: %s", ref.prompt, answerElsewhere)
	}
	read := wire.ApprovalReadParams{SessionID: ref.session, ApprovalID: ref.approval}
	before, err := c.ReadApproval(ctx, read)
	if err != nil {
		return err
	}
	p := wire.ApprovalDecideParams{
		CommandID: d.commandID, SessionID: ref.session, ApprovalID: ref.approval,
		RequirementID: before.Request.CurrentRequirementID, ChoiceID: choice,
	}
	if cmd.Flags().Changed("requirement") {
		p.RequirementID.SourceIndex = d.requirement
	}
	if cmd.Flags().Changed("feedback") {
		p.Feedback = &d.feedback
	}
	if p.CommandID == "" {
		p.CommandID = client.NewCommandID()
	}
	ack, err := c.Decide(ctx, p)
	if err != nil {
		return d.explain(ctx, c, p, before, err)
	}
	if d.asJSON {
		return printJSON(cmd.OutOrStdout(), ack)
	}
	after := "settled"
	if !ack.Terminal {
		after = "the next stage waits for a decision"
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %s\n", ack.ApprovalID, visible(string(choice)), after)
	return err
}

// explain adds to an error of approval/decide what only a second look tells:
// who won, what could have been chosen, how to ask again.
func (d *decision) explain(ctx context.Context, c *client.Client, p wire.ApprovalDecideParams, before wire.ApprovalReadResult, err error) error {
	switch {
	case errors.Is(err, client.ErrConnectionLost), wire.IsRetryable(err):
		sentence, code := explain(err)
		return exitf(code, "%s Whether it was decided is not known: repeat it with --command-id %s.", sentence, p.CommandID)
	case wire.IsKind(err, wire.KindApprovalChoiceInvalid):
		return exitf(exitFailure, "approval %s has no choice %s: it offers %s",
			p.ApprovalID, p.ChoiceID, choiceIDs(before.Request.AvailableChoices))
	case wire.IsKind(err, wire.KindApprovalAlreadyResolved):
		after, readErr := c.ReadApproval(ctx, wire.ApprovalReadParams{SessionID: p.SessionID, ApprovalID: p.ApprovalID})
		if readErr != nil || after.Resolution == nil {
			return err // it says who won, without the time
		}
		r := after.Resolution
		sentence := fmt.Sprintf("approval %s was settled before: %s, at %s", r.ApprovalID, card.OutcomeText(r.Outcome, r.ResolvedBy), r.DecidedAt)
		if r.SuccessorApprovalID != "" {
			sentence += "; decide " + r.SuccessorApprovalID + " instead"
		}
		return exitf(exitSettled, "%s", sentence)
	}
	return err
}
