package web

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

// grantRow is one standing permission.
type grantRow struct {
	ID, Session string
	Kind        string
	Preview     []card.Text
	From        card.Text
	Lasting     string
	InForce     bool
	Given       time.Time
	Origin      string // the address of the approval that it was given on
	CommandID   string
}

func (s *Server) grants(w http.ResponseWriter, r *http.Request, v visitor) {
	list, err := s.feed.c.Grants(r.Context(), wire.GrantListParams{})
	if err != nil {
		s.failed(w, v, err)
		return
	}
	var rows []grantRow
	for _, g := range slices.Backward(list.Grants) {
		rows = append(rows, s.grantRow(r, g))
	}
	slices.SortStableFunc(rows, func(a, b grantRow) int { // those in force first
		switch {
		case a.InForce == b.InForce:
			return 0
		case a.InForce:
			return -1
		}
		return 1
	})
	_, page := s.listAt(1, "")
	page.Title, page.Section, page.CSRF, page.Page, page.Note = "Grants", "grants", v.csrf(), rows, s.noteOf(r)
	s.show(w, http.StatusOK, "grants", page)
}

func (s *Server) grantRow(r *http.Request, g wire.Grant) grantRow {
	row := grantRow{
		ID: g.GrantID, Session: g.SessionID, Kind: card.Visible(string(g.Kind)), InForce: g.InForce, CommandID: client.NewCommandID(),
		Preview: card.Choices([]wire.Choice{{RulePreview: g.RulePreview}})[0].Preview,
		Origin:  approvalPath(g.SessionID, g.CreatedBy.ApprovalID), Lasting: "until the session ends",
		From: s.feed.from(r.Context(), g.SessionID),
	}
	if g.Scope == wire.ScopeLocalPersistent {
		row.Lasting = "for good"
		row.From = card.Of(g.WorkspaceRoot)
	}
	if at, err := g.CreatedAt.Parse(); err == nil {
		row.Given = at
	}
	return row
}

// revoke ends a grant. It binds the next action.
func (s *Server) revoke(w http.ResponseWriter, r *http.Request, v visitor) {
	err := s.takeBack(r.Context(), wire.GrantRevokeParams{
		CommandID: r.PostForm.Get("command"), SessionID: r.PathValue("session"), GrantID: r.PathValue("id"),
	})
	if err != nil {
		s.failed(w, v, err)
		return
	}
	goTo(w, r, "/grants", "revoked", "")
}

// takeBack revokes a grant, a rule of a workspace through any session of it: the one that
// it was given in may be over.
func (s *Server) takeBack(ctx context.Context, p wire.GrantRevokeParams) error {
	_, err := s.feed.c.RevokeGrant(ctx, p)
	if !wire.IsKind(err, wire.KindCommandRejected) {
		return err
	}
	list, listed := s.feed.c.Grants(ctx, wire.GrantListParams{})
	at := slices.IndexFunc(list.Grants, func(g wire.Grant) bool { return g.GrantID == p.GrantID })
	if listed != nil || at < 0 || list.Grants[at].Scope != wire.ScopeLocalPersistent {
		return errors.Join(err, listed)
	}
	sessions := wire.SessionListParams{WorkspaceRoot: list.Grants[at].WorkspaceRoot}
	for {
		page, err := s.feed.c.ListSessions(ctx, sessions)
		if err != nil {
			return err
		}
		for _, one := range page.Sessions {
			again := wire.GrantRevokeParams{SessionID: one.SessionID, GrantID: p.GrantID}
			if _, err := s.feed.c.RevokeGrant(ctx, again); !wire.IsKind(err, wire.KindCommandRejected) {
				return err
			}
		}
		if page.NextCursor == nil {
			return wire.NewError(wire.CodeCommandRejected, "No session of its workspace is open. `approvald grants revoke "+p.GrantID+"` starts one for it.")
		}
		sessions.Cursor = *page.NextCursor
	}
}
