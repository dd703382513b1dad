package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

func newGrantsCommand(dirs *directories) *cobra.Command {
	var asJSON, inForce bool
	var kind string
	var ask wire.GrantListParams
	cmd := &cobra.Command{
		Use:   "grants",
		Short: "List what reviewers allowed for a session or for good, and take it back",
		Long: `List the standing permissions that decisions left behind, in the order in which they were given:
those for a session, and those that are rules of a workspace. COVERS is what the reviewer was
shown; a grant covers no more. The approval that one was given on tells the rest (approvald show).

Exit codes: 0 it was listed, also where there is nothing; 1 one could not be taken back; 2 the
command line; 4 no daemon.`,
		Example: `  approvald grants --workspace .
  approvald grants revoke 0198f0ac-7777
  approvald grants --in-force --kind tool --json | approvald grants revoke -`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if ask.WorkspaceRoot != "" {
				dir, err := absDir(ask.WorkspaceRoot)
				if err != nil {
					return err
				}
				ask.WorkspaceRoot = dir
			}
			c, err := dirs.connect(cmd.Context(), "host", client.Options{Role: wire.RoleReviewer})
			if err != nil {
				return err
			}
			defer c.Close()
			listed, err := c.Grants(cmd.Context(), ask)
			if err != nil {
				return err
			}
			listed.Grants = slices.DeleteFunc(listed.Grants, func(g wire.Grant) bool {
				return inForce && !g.InForce || kind != "" && string(g.Kind) != kind
			})
			if asJSON {
				return eachJSON(cmd.OutOrStdout(), listed.Grants)
			}
			if len(listed.Grants) == 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), "nothing is granted")
				return nil
			}
			return grantTable(cmd.OutOrStdout(), listed.Grants, time.Now())
		},
	}
	cmd.Flags().StringVar(&ask.SessionID, "session", "", "only what this session's actions may be allowed by")
	cmd.Flags().BoolVar(&inForce, "in-force", false, "only those that are in force")
	cmd.Flags().StringVar(&kind, "kind", "", "only of this kind: "+strings.Join(grantKinds, ", "))
	completeWith(cmd, "kind", grantKinds...)
	cmd.Flags().StringVar(&ask.WorkspaceRoot, "workspace", "", "only the rules of this workspace")
	jsonFlag(cmd, &asJSON, "print one JSON object a line")
	cmd.AddCommand(newGrantsRevokeCommand(dirs))
	return cmd
}

// grantKinds are the kinds of subjects that something can be granted for.
var grantKinds = kinds[:len(kinds)-1]

// eachJSON prints one object a line.
func eachJSON[T any](w io.Writer, rows []T) error {
	for _, row := range rows {
		if err := printJSON(w, row); err != nil {
			return err
		}
	}
	return nil
}

func grantTable(w io.Writer, rows []wire.Grant, now time.Time) error {
	ids := make([]string, len(rows))
	for i, g := range rows {
		ids[i] = g.GrantID
	}
	n := shortest(ids)
	table := newTable(w, "GRANT", "IN FORCE", "FOR", "AGE", "ON APPROVAL", "COVERS")
	for _, g := range rows {
		table.row(beginning(g.GrantID, n), yesNo(g.InForce), grantScope(g), age(g.CreatedAt, now),
			visible(g.CreatedBy.ApprovalID), visible(g.RulePreview))
	}
	return table.end()
}

// grantScope says for what, and how long, a grant holds.
func grantScope(g wire.Grant) string {
	switch g.Scope {
	case wire.ScopeSession:
		return "session " + visible(g.SessionID)
	case wire.ScopeLocalPersistent:
		return "workspace " + visible(g.WorkspaceRoot)
	default:
		return visible(string(g.Scope))
	}
}

func newGrantsRevokeCommand(dirs *directories) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "revoke {GRANT… | -}",
		Short: "Take back what was granted",
		Long: `Take back the grants whose ids begin so. It binds from the next action on; what was allowed before
stays allowed. Taking back twice changes nothing. With - the ids are on standard input, one a line,
or in JSON as grants prints it.`,
		Args: cobra.MinimumNArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return grantIDs(cmd.Context(), dirs), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, prefixes []string) error {
			// As both, because a session may have to be started to revoke in.
			c, err := dirs.connect(cmd.Context(), "host", client.Options{Role: wire.RoleBoth})
			if err != nil {
				return err
			}
			defer c.Close()
			if len(prefixes) == 1 && prefixes[0] == fromInput {
				if prefixes, err = readIDs(cmd.InOrStdin()); err != nil {
					return err
				}
				if len(prefixes) == 0 {
					fmt.Fprintln(cmd.ErrOrStderr(), nothingOnInput)
				}
			}
			listed, err := c.Grants(cmd.Context(), wire.GrantListParams{})
			if err != nil {
				return err
			}
			var found []wire.Grant // all, before the first is taken back
			for _, prefix := range prefixes {
				g, err := findGrant(listed.Grants, prefix)
				if err != nil {
					return err
				}
				found = append(found, g)
			}
			var failed []error
			for _, g := range found {
				failed = append(failed, revoke(cmd, c, g, asJSON))
			}
			return together(failed)
		},
	}
	jsonFlag(cmd, &asJSON, "print each ack as one JSON object")
	return cmd
}

// findGrant is the grant whose id begins with prefix.
func findGrant(grants []wire.Grant, prefix string) (wire.Grant, error) {
	var found []wire.Grant
	for _, g := range grants {
		if prefix != "" && strings.HasPrefix(g.GrantID, prefix) {
			found = append(found, g)
		}
	}
	switch len(found) {
	case 0:
		return wire.Grant{}, exitf(exitFailure, "there is no grant %s: `approvald grants` lists them", prefix)
	case 1:
		return found[0], nil
	}
	return wire.Grant{}, exitf(exitFailure, "%s is the beginning of %d ids, %s and %s among them: give more of it",
		prefix, len(found), found[0].GrantID, found[1].GrantID)
}

func revoke(cmd *cobra.Command, c *client.Client, g wire.Grant, asJSON bool) error {
	ctx := cmd.Context()
	ack, err := c.RevokeGrant(ctx, wire.GrantRevokeParams{SessionID: g.SessionID, GrantID: g.GrantID})
	if err != nil && g.Scope == wire.ScopeLocalPersistent {
		// The session that it was given in may be over; any of its workspace will do.
		ack, err = revokeInWorkspace(ctx, c, g)
	}
	if err != nil {
		sentence, code := explain(err)
		return exitf(code, "grant %s was not taken back: %s", g.GrantID, sentence)
	}
	if asJSON {
		return printJSON(cmd.OutOrStdout(), ack)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: taken back: %s\n", g.GrantID, visible(g.RulePreview))
	return err
}

// revokeInWorkspace takes a rule of a workspace back through a session that is
// there for this alone.
func revokeInWorkspace(ctx context.Context, c *client.Client, g wire.Grant) (wire.GrantRevokeResult, error) {
	r, err := c.StartSession(ctx, wire.SessionStartParams{WorkspaceRoot: g.WorkspaceRoot, Name: "grants"})
	if err != nil {
		return wire.GrantRevokeResult{}, err
	}
	session := r.Session.SessionID
	ack, err := c.RevokeGrant(ctx, wire.GrantRevokeParams{SessionID: session, GrantID: g.GrantID})
	_, closed := c.CloseSession(ctx, wire.SessionCloseParams{SessionID: session, Reason: "grants ended"})
	return ack, errors.Join(err, closed)
}

// grantIDs offers the grants that are in force.
func grantIDs(ctx context.Context, dirs *directories) (ids []cobra.Completion) {
	ctx, cancel := context.WithTimeout(ctx, completeTimeout)
	defer cancel()
	c, err := dirs.connect(ctx, "host", client.Options{Role: wire.RoleReviewer})
	if err != nil {
		return nil
	}
	defer c.Close()
	listed, err := c.Grants(ctx, wire.GrantListParams{})
	if err != nil {
		return nil
	}
	for _, g := range listed.Grants {
		if g.InForce {
			ids = append(ids, cobra.CompletionWithDesc(g.GrantID, clip(visible(g.RulePreview), subjectWidth)))
		}
	}
	return ids
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
