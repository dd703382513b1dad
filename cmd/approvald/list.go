package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// subjectWidth is how much of a subject a row of a table shows.
const subjectWidth = 72

func newListCommand(dirs *directories) *cobra.Command {
	var asJSON, sessions bool
	var only filter
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List what waits for a decision",
		Long: `List the pending approvals and prompts of all sessions in the order in which they were opened, or
with --sessions the sessions, the latest first. With --json each is one line, as on the wire.

Exit codes: 0 it was listed, also where there is nothing; 2 the command line; 4 no daemon.`,
		Example: `  approvald list --tool bash --older-than 10m
  approvald list --kind fileAccess --json | approvald decide - abort`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := only.check(); err != nil {
				return err
			}
			if sessions && only.set() {
				return exitf(exitUsage, "--sessions lists all sessions, and takes no filter")
			}
			c, err := dirs.connect(cmd.Context(), "host", client.Options{Role: wire.RoleReviewer})
			if err != nil {
				return err
			}
			defer c.Close()
			if sessions {
				return listSessions(cmd, c, asJSON)
			}
			return listPending(cmd, c, &only, asJSON)
		},
	}
	jsonFlag(cmd, &asJSON, "print one JSON object a line")
	cmd.Flags().BoolVar(&sessions, "sessions", false, "list the sessions instead")
	only.flags(cmd, true)
	return cmd
}

func listPending(cmd *cobra.Command, c *client.Client, only *filter, asJSON bool) error {
	var rows []waiting
	now := time.Now()
	for w, err := range waitingOf(cmd.Context(), c, "") {
		if err != nil {
			return err
		}
		if !only.waiting(w, now) {
			continue
		}
		if !asJSON {
			rows = append(rows, w)
			continue
		}
		var row any = w.approval
		if w.prompt != nil {
			row = w.prompt
		}
		if err := printJSON(cmd.OutOrStdout(), row); err != nil {
			return err
		}
	}
	if asJSON {
		return nil
	}
	if len(rows) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), only.nothing())
		return nil
	}
	return pendingTable(cmd.OutOrStdout(), rows, now)
}

func pendingTable(w io.Writer, rows []waiting, now time.Time) error {
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.id()
	}
	n := shortest(ids)
	table := newTable(w, "ID", "AGE", "TOOL", "SUBJECT", "CHOICES")
	for _, row := range rows {
		if p := row.prompt; p != nil {
			table.row(beginning(p.UserInputID, n), age(p.CreatedAt, now), visible(p.ToolName),
				clip(promptLine(p.Questions), subjectWidth)+promptMarks(p), "("+answerElsewhere+")")
			continue
		}
		r := row.approval
		table.row(beginning(r.ApprovalID, n), age(r.CreatedAt, now), visible(r.ToolName),
			clip(subjectLine(r.Subject), subjectWidth)+marks(r), choiceIDs(r.AvailableChoices))
	}
	return table.end()
}

// id is that of the approval or prompt.
func (w waiting) id() string {
	if w.prompt != nil {
		return w.prompt.UserInputID
	}
	return w.approval.ApprovalID
}

func listSessions(cmd *cobra.Command, c *client.Client, asJSON bool) error {
	var rows []wire.Session
	for s, err := range sessionsOf(cmd.Context(), c) {
		if err != nil {
			return err
		}
		if asJSON {
			if err := printJSON(cmd.OutOrStdout(), s); err != nil {
				return err
			}
			continue
		}
		rows = append(rows, s)
	}
	if asJSON {
		return nil
	}
	now := time.Now()
	table := newTable(cmd.OutOrStdout(), "SESSION", "STATUS", "MODE", "AGE", "CLIENT", "NAME", "WORKSPACE")
	for _, s := range rows {
		table.row(s.SessionID, statusText(s), modeText(s), age(s.CreatedAt, now),
			clientText(s), listed(visible(s.Name), parentText(s)), workspaceText(s))
	}
	return table.end()
}

func statusText(s wire.Session) string {
	if len(s.Attention) > 0 {
		return "waits"
	}
	return string(s.Status)
}

// modeText is the mode of a session, and the preset that brought it.
func modeText(s wire.Session) string {
	if s.Preset == "" {
		return visible(string(s.ApprovalMode.Mode))
	}
	return visible(fmt.Sprintf("%s (%s)", s.ApprovalMode.Mode, s.Preset))
}

func clientText(s wire.Session) string {
	if s.CreatedByClient == nil {
		return "-"
	}
	return visible(s.CreatedByClient.Name)
}

func workspaceText(s wire.Session) string {
	if s.WorkspaceRoot == nil {
		return "-"
	}
	return visible(*s.WorkspaceRoot)
}

// table prints columns as wide as they need to be. Cells are to be visible.
type table struct{ w *tabwriter.Writer }

func newTable(w io.Writer, heads ...string) table {
	t := table{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	t.row(heads...)
	return t
}

func (t table) row(cells ...string) {
	for i, cell := range cells {
		if i > 0 {
			fmt.Fprint(t.w, "\t")
		}
		if cell == "" {
			cell = "-"
		}
		fmt.Fprint(t.w, cell)
	}
	fmt.Fprint(t.w, "\n")
}

// end writes the table; an error is that of the writer below.
func (t table) end() error { return t.w.Flush() }
