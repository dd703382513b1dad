package rpc

import (
	"slices"
	"strings"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// grantList serves grant/list (protocol §6): the standing permissions that
// decisions left behind, those that are in force no more included.
func (r *request) grantList() {
	var p wire.GrantListParams
	if e := r.decode(&p); e != nil {
		r.fail(e)
		return
	}
	if e := bounded("workspaceRoot", p.WorkspaceRoot, maxPathLength); e != nil {
		r.fail(e)
		return
	}
	if p.WorkspaceRoot != "" && !strings.HasPrefix(p.WorkspaceRoot, "/") {
		r.fail(invalid("workspaceRoot must be an absolute path"))
		return
	}
	srv := r.conn.srv
	root := p.WorkspaceRoot
	// A workspace that is no more has its grants still, under the path that it had.
	if dir, err := srv.cfg.Inspector.Dir(root, ""); err == nil {
		root = dir
	}
	var rows []grantRow
	list := func(state *fold.State, seen func(approval.Grant) bool) {
		rows = grantRows(state, func(g approval.Grant) bool {
			return seen(g) && (root == "" || workspaceOfGrant(state, g) == root)
		})
	}
	if p.SessionID != "" {
		if e := r.inSession(p.SessionID, func(state *fold.State, session *fold.Session) *wire.Error {
			list(state, seenBy(state, session))
			return nil
		}); e != nil {
			r.fail(e)
			return
		}
	} else {
		srv.seq.View(func(state *fold.State) {
			list(state, func(g approval.Grant) bool { return root == "" || g.Scope == approval.ScopeLocalPersistent })
		})
	}
	r.reply(srv.grantsOf(rows))
}

// seenBy keeps the grants that a session's own actions may be allowed by, those
// that were revoked included: its own, those that it sees of its ancestors', and
// the rules of its workspace.
func seenBy(state *fold.State, session *fold.Session) func(approval.Grant) bool {
	from := []approval.ID{session.ID}
	for in := session; in.Inherits; {
		parent, _ := in.Parent()
		above, ok := state.Session(parent)
		if !ok {
			break
		}
		from, in = append(from, parent), above
	}
	root := session.Started.WorkspaceRoot
	return func(g approval.Grant) bool {
		return slices.Contains(from, g.Session) || g.Scope == approval.ScopeLocalPersistent && root != "" && g.Root == root
	}
}

// grantRow is a grant with what its session says about it.
type grantRow struct {
	grant  approval.Grant
	root   string
	closed bool // the session that it was given in
}

func grantRows(state *fold.State, keep func(approval.Grant) bool) (rows []grantRow) {
	for _, g := range state.Grants(keep) {
		row := grantRow{grant: g, root: workspaceOfGrant(state, g), closed: true}
		if in, ok := state.Session(g.Session); ok {
			row.closed = in.Closed
		}
		rows = append(rows, row)
	}
	return rows
}

// workspaceOfGrant is the workspace of a persistent grant, or of the session
// that another one was given in.
func workspaceOfGrant(state *fold.State, g approval.Grant) string {
	if in, ok := state.Session(g.Session); ok && g.Scope != approval.ScopeLocalPersistent {
		return in.Started.WorkspaceRoot
	}
	return g.Root
}

func (s *Server) grantsOf(rows []grantRow) (result wire.GrantListResult) {
	for _, row := range rows {
		g := row.grant
		result.Grants = append(result.Grants, wire.Grant{
			GrantID: g.ID.String(), Scope: wire.Scope(g.Scope), Kind: wire.SubjectKind(g.Kind), RulePreview: g.RulePreview,
			CreatedBy: wire.GrantOrigin{ApprovalID: g.Approval.String(), CommandID: g.CreatedBy.String()},
			CreatedAt: wire.FormatTime(g.CreatedAt), InForce: s.inForce(row),
			SessionID: g.Session.String(), WorkspaceRoot: row.root,
		})
	}
	return result
}

// inForce reports whether a grant may allow anything now. A rule that its store
// holds is in force as long as the loaded policy has it; until then it is, as a
// session grant, for as long as its session is open.
func (s *Server) inForce(row grantRow) bool {
	switch {
	case row.grant.Revoked, row.grant.Ended:
		return false
	case row.grant.Reach.Catalog != "" && row.grant.Seq <= s.cfg.Head:
		return false // its catalog ended with the daemon before this one, though no record says so yet
	case row.grant.Persisted:
		return s.cfg.RuleInForce(row.grant)
	}
	return !row.closed
}
