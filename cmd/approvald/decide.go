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
	all, dryRun bool
	only        filter // of all
}

func newDecideCommand(dirs *directories) *cobra.Command {
	var d decision
	cmd := &cobra.Command{
		Use:   "decide {ID | - | --all} CHOICE",
		Short: "Decide an approval, or several",
		Long: `Decide the approval whose id begins with ID by selecting CHOICE from its menu. The first
decision that is durable wins; who comes later is told who won, exit code 5.

A decision whose answer got lost is repeated with the --command-id that was printed: it happens
once, and is answered as the first time.

With - the ids are on standard input, one a line, or in JSON as list prints it. With --all they
are those of all approvals that the filters leave. Each is decided as it was read before the
first was decided: one whose turn is another's by then is not. --dry-run shows what would be
decided and decides nothing.

Exit codes: 0 all decided (or would be); 1 one could not be decided; 2 the command line; 4 no
daemon; 5 nothing worse than that one was settled before.`,
		Example: `  approvald decide 0198f0ac-7777 allow_once
  approvald decide 0198f0ac-7777 abort --feedback 'use the staging database'
  approvald decide --all --tool bash --match 'git status' --dry-run allow_once
  approvald list --json --older-than 1h | approvald decide - abort`,
		Args:              d.arguments,
		ValidArgsFunction: completeDecide(dirs),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := dirs.connect(cmd.Context(), "host", client.Options{Role: wire.RoleReviewer, DecidedBy: true})
			if err != nil {
				return err
			}
			defer c.Close()
			choice := wire.ChoiceID(args[len(args)-1])
			switch {
			case d.all:
				return d.several(cmd, c, nil, choice)
			case args[0] == fromInput:
				ids, err := readIDs(cmd.InOrStdin())
				if err != nil {
					return err
				}
				return d.several(cmd, c, ids, choice)
			case d.dryRun:
				return d.several(cmd, c, args[:1], choice)
			}
			return d.run(cmd, c, args[0], choice)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&d.feedback, "feedback", "", "what the agent is told, for a choice that takes it")
	flags.IntVar(&d.requirement, "requirement", 0, "the stage, from 0 (default: the one whose turn it is)")
	flags.StringVar(&d.commandID, "command-id", "", "repeat the decision with this id (default: a new one)")
	flags.BoolVar(&d.all, "all", false, "decide all approvals that the filters leave")
	flags.BoolVar(&d.dryRun, "dry-run", false, "show what would be decided, and decide nothing")
	d.only.flags(cmd, true)
	jsonFlag(cmd, &d.asJSON, "print the ack as one JSON object; of several, a result each")
	return cmd
}

// arguments checks what can be known of the command line before a daemon is asked.
func (d *decision) arguments(cmd *cobra.Command, args []string) error {
	if err := d.only.check(); err != nil {
		return err
	}
	want := 2
	if d.all {
		want = 1
	}
	if err := cobra.ExactArgs(want)(cmd, args); err != nil {
		return err
	}
	single := cmd.Flags().Changed("command-id") || cmd.Flags().Changed("requirement")
	others := d.only
	others.session = "" // which says where to look for an id, too
	switch {
	case d.all && !d.only.set():
		return errWhich
	case !d.all && others.set():
		return errors.New("filters are for --all: an id says by itself what is meant")
	case single && (d.all || d.dryRun || args[0] == fromInput):
		return errors.New("--command-id and --requirement are for the decision on one id")
	}
	d.session = d.only.session
	return nil
}

func (d *decision) run(cmd *cobra.Command, c *client.Client, prefix string, choice wire.ChoiceID) error {
	ctx := cmd.Context()
	ref, err := newFinder(c, d.session).find(ctx, prefix)
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
		sentence := fmt.Sprintf("approval %s was settled before: %s, at %s", r.ApprovalID, card.OutcomeByText(r.Outcome, r.ResolvedBy, card.Person(after.DecidedBy)), r.DecidedAt)
		if r.SuccessorApprovalID != "" {
			sentence += "; decide " + r.SuccessorApprovalID + " instead"
		}
		return exitf(exitSettled, "%s", sentence)
	}
	return err
}
