package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

func newShowCommand(dirs *directories) *cobra.Command {
	var asJSON bool
	var session string
	cmd := &cobra.Command{
		Use:   "show {ID… | -}",
		Short: "Show approvals or prompts, and what became of them",
		Long: `Show what is asked, stage by stage, with the arguments as the model gave them, why policy
asks, the choices, and, once it is settled, the resolution; of a prompt its questions and what was
answered. The beginning of an id is enough
where it is the only one. With - the ids are on standard input, one a line, or in JSON as list
prints it.

Exit codes: 0 all were shown; 1 there is no such approval, or several; 2 the command line; 4 no
daemon.`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeShow(dirs),
		RunE: func(cmd *cobra.Command, args []string) error {
			// As both, because feedback is kept from reviewers (protocol §6) and
			// whoever may read the log may read it here.
			c, err := dirs.connect(cmd.Context(), "host", client.Options{Role: wire.RoleBoth, DecidedBy: true})
			if err != nil {
				return err
			}
			defer c.Close()
			ids := args
			if len(args) == 1 && args[0] == fromInput {
				if ids, err = readIDs(cmd.InOrStdin()); err != nil {
					return err
				}
			}
			if len(ids) == 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), nothingOnInput)
			}
			finder := newFinder(c, session)
			var failed []error
			for i, id := range ids {
				if i > 0 && !asJSON {
					fmt.Fprintln(cmd.OutOrStdout())
				}
				err := showOne(cmd, finder, id, asJSON)
				if err != nil && !settledOn(err) {
					return err
				}
				failed = append(failed, err) // one that is not there does not keep the others from being shown
			}
			return together(failed)
		},
	}
	jsonFlag(cmd, &asJSON, "print one JSON object for each, as on the wire")
	sessionFlag(cmd, &session)
	return cmd
}

// showOne shows the approval or prompt whose id begins so.
func showOne(cmd *cobra.Command, finder *finder, id string, asJSON bool) error {
	c := finder.c
	ref, err := finder.find(cmd.Context(), id)
	if err != nil {
		return err
	}
	if ref.prompt != "" {
		p, err := readPrompt(cmd.Context(), c, ref)
		if err != nil {
			return err
		}
		if asJSON {
			return printJSON(cmd.OutOrStdout(), p)
		}
		showPrompt(cmd.OutOrStdout(), p)
		return nil
	}
	r, err := c.ReadApproval(cmd.Context(), wire.ApprovalReadParams{SessionID: ref.session, ApprovalID: ref.approval})
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(cmd.OutOrStdout(), r)
	}
	show(cmd.OutOrStdout(), r)
	return nil
}

// sessionFlag lets a caller that knows the session say so, which saves the
// search.
func sessionFlag(cmd *cobra.Command, session *string) {
	cmd.Flags().StringVar(session, "session", "", "the session's id (default: look in all of them)")
}

func show(w io.Writer, r wire.ApprovalReadResult) {
	details(w, &r.Request, r.Resolution == nil)
	if r.Resolution == nil {
		menu(w, r.Request.AvailableChoices, 1)
		return
	}
	resolution(w, &r)
}

func resolution(w io.Writer, read *wire.ApprovalReadResult) {
	r := read.Resolution
	by := string(r.Source)
	if rule := card.SettlingRule(r, &read.Request); rule != "" {
		by = rule
	}
	field(w, "settled", fmt.Sprintf("%s, at %s (%s)", card.OutcomeByText(r.Outcome, r.ResolvedBy, card.Person(read.DecidedBy)), r.DecidedAt, by))
	field(w, "successor", r.SuccessorApprovalID)
	if r.Denial != nil {
		text(w, "denial", r.Denial.Message)
	}
	text(w, "feedback", r.Feedback)
}
