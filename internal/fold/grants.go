package fold

import (
	"cmp"
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/record"
)

// Granted looks up the session grant that covers exactly reach for session: its
// own, or, where it inherits, one of its ancestors' (policy.md "Sub-agents"). A
// grant that is not bound to a tool's definition covers the tool under every
// catalog as well; one that is covers no other definition, and no call without.
func (s *State) Granted(session *Session, reach approval.Reach) (approval.Grant, bool) {
	if g, ok := s.granted(session, reach); ok {
		return g, true
	}
	if unbound, ok := reach.Unbound(); ok {
		return s.granted(session, unbound)
	}
	return approval.Grant{}, false
}

func (s *State) granted(session *Session, reach approval.Reach) (approval.Grant, bool) {
	for in := session; in != nil; in = s.heir(in) {
		if g, ok := in.grants.get(reach); ok {
			return *g, true
		}
	}
	return approval.Grant{}, false
}

// heir is the session whose grants in sees besides its own; nil for none.
func (s *State) heir(in *Session) *Session {
	parent, ok := in.Parent()
	if !ok || !in.Inherits {
		return nil
	}
	above, _ := s.Session(parent)
	return above
}

// Unstored are the rules that decisions of the session, and of those whose
// grants it sees, wrote and that no store holds yet: they are in force for the
// session. In the order they were given.
func (s *State) Unstored(session *Session) []approval.Grant {
	var out []approval.Grant
	for in := session; in != nil; in = s.heir(in) {
		for _, g := range in.rules.all() {
			out = append(out, *g)
		}
	}
	sortGrants(out)
	return out
}

// Grant returns a grant that was ever given.
func (s *State) Grant(id approval.ID) (approval.Grant, bool) {
	g, ok := s.grants.get(id)
	if !ok {
		return approval.Grant{}, false
	}
	return *g, true
}

// Revoked reports whether a grant was revoked.
func (s *State) Revoked(id approval.ID) bool {
	g, ok := s.grants.get(id)
	return ok && g.Revoked
}

// Grants are the grants that keep holds for, in the order they were given.
func (s *State) Grants(keep func(approval.Grant) bool) []approval.Grant {
	var out []approval.Grant
	for _, g := range s.grants.all() {
		if keep(*g) {
			out = append(out, *g)
		}
	}
	sortGrants(out)
	return out
}

func sortGrants(grants []approval.Grant) {
	slices.SortFunc(grants, func(a, b approval.Grant) int {
		if c := a.CreatedAt.Compare(b.CreatedAt); c != 0 {
			return c
		}
		return cmp.Compare(a.ID.String(), b.ID.String())
	})
}

func (s *State) applyGrant(session *Session, r record.Record, body *record.GrantAdded) {
	g := &approval.Grant{
		ID: body.GrantID, Scope: approval.Scope(body.Scope), Session: r.Session,
		Kind: body.Reach.Kind, Reach: approval.Reach(body.Reach), Rule: string(body.Rule), Root: body.Root,
		RulePreview: body.RulePreview, Approval: r.Approval, CreatedBy: r.Command, CreatedAt: r.At,
		Seq: r.Seq,
	}
	s.grants.put(g.ID, g)
	switch g.Scope {
	case approval.ScopeLocalPersistent:
		session.rules.put(g.ID, g)
	default:
		session.grants.put(g.Reach, g)
	}
}

// applyRevoked takes a grant out of force wherever it is.
func (s *State) applyRevoked(body *record.GrantRevoked) {
	s.change(body.GrantID, func(g *approval.Grant) { g.Revoked = true })
}

// applyPersisted moves a rule from the session, where it was in force, to the
// store, which holds it from now on. One that could not be written stays.
func (s *State) applyPersisted(body *record.PolicyPersisted) {
	s.change(body.GrantID, func(g *approval.Grant) { g.Persisted = body.Status == record.Persisted })
}

// change replaces a grant by one that differs as change makes it.
func (s *State) change(id approval.ID, change func(*approval.Grant)) {
	old, ok := s.grants.get(id)
	if !ok {
		return
	}
	g := *old
	change(&g)
	s.grants.put(id, &g)
	session, ok := s.touch(g.Session)
	if !ok {
		return
	}
	if g.Scope == approval.ScopeLocalPersistent {
		if g.Revoked || g.Persisted {
			session.rules.drop(id)
		} else {
			session.rules.put(id, &g)
		}
		return
	}
	if held, ok := session.grants.get(g.Reach); ok && held.ID == id && (g.Revoked || g.Ended) {
		session.grants.drop(g.Reach)
	}
}
