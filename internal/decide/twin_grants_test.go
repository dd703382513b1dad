package decide_test

import (
	"slices"

	"github.com/approvald/approvald/internal/approval"
)

// twinGrant is a session grant, or a rule that a decision wrote.
type twinGrant struct {
	id      approval.ID
	session *twinSession // that it was given in
	what    int          // it covers: an index of the pool
	rule    bool
	stored  bool // the workspace's store holds the rule
	revoked bool
	catalog *twinCatalog // that it is bound to, with the digest; nil for none
	digest  string
	ended   bool // its tool is another by now
}

// covers reports whether a grant is on what an approval is about: one that is
// bound to a tool's definition is on nothing else.
func (g *twinGrant) covers(a *twinApproval) bool {
	return g.what == a.what && (g.catalog == nil || g.catalog == a.catalog && g.digest == a.digest)
}

// lineage are the session and those above it.
func (s *twinSession) lineage() (out []*twinSession) {
	for ; s != nil; s = s.parent {
		out = append(out, s)
	}
	return out
}

// sees are the sessions whose grants the session sees: they flow down, where
// they are inherited, and nowhere else (policy.md "Sub-agents").
func (s *twinSession) sees() []*twinSession {
	if s.parent == nil || !s.inherits {
		return []*twinSession{s}
	}
	return append([]*twinSession{s}, s.parent.sees()...)
}

// family are the session and those below it, a parent before its children.
func (t *twin) family(s *twinSession) []*twinSession {
	out := []*twinSession{s}
	for _, child := range t.sessions {
		if child.parent == s {
			out = append(out, t.family(child)...)
		}
	}
	return out
}

// inForce are the grants that the session sees.
func (t *twin) inForce(s *twinSession) (out []*twinGrant) {
	for _, g := range t.grants {
		if !g.revoked && !g.ended && (g.stored || slices.Contains(s.sees(), g.session)) {
			out = append(out, g)
		}
	}
	return out
}

// covered is how a grant settles something; nil where none does.
func (t *twin) covered(s *twinSession, a *twinApproval) (by *ending) {
	for _, g := range t.inForce(s) {
		switch {
		case !g.covers(a):
		case !g.rule:
			return ended("allowedOnce", "approved", "allow", "policy", "sessionGrant")
		default:
			by = ended("allowedOnce", "approved", "allow", "policy", "rule")
		}
	}
	return by
}

// given is a new grant, which has an identity of its own. What waits in the
// sessions that see it is evaluated again.
func (t *twin) given(s *twinSession, a *twinApproval, rule bool) {
	g := &twinGrant{id: t.mint(), session: s, what: a.what, rule: rule}
	if !rule {
		g.catalog, g.digest = a.catalog, a.digest
	}
	t.grants = append(t.grants, g)
	for _, in := range t.family(s) {
		if slices.Contains(in.sees(), s) {
			t.reevaluate(in)
		}
	}
}

// reevaluate settles what waits and is covered by now.
func (t *twin) reevaluate(s *twinSession) (settled bool) {
	for _, a := range s.pending() {
		a.end = t.covered(s, a)
		settled = settled || a.end != nil
	}
	return settled
}

func (t *twin) grant(id approval.ID) *twinGrant {
	for _, g := range t.grants {
		if g.id == id {
			return g
		}
	}
	return nil
}

// revoked is protocol §6, grant/revoke; all sessions are of one workspace.
func (t *twin) revoked(s *twinSession, o op) said {
	g := t.grant(o.grant)
	if g == nil || g.session != s && !g.rule {
		return said{code: -32011}
	}
	g.revoked = true
	return said{}
}

// stored is what became of writing a rule into the store.
func (t *twin) stored(o op) said {
	g := t.grant(o.grant)
	if g == nil || g.stored {
		return said{}
	}
	g.stored = !o.fails
	return said{wrote: true}
}

// permits reports whether it is a permit that nobody has taken.
func (a *twinApproval) permits() bool {
	return a.end != nil && a.end.result == "allow" && !a.taken && a.void == ""
}

// endAll ends what is pending, and reports whether anything was.
func (s *twinSession) endAll(how *ending) (some bool) {
	for _, a := range s.pending() {
		a.end, some = how, true
	}
	return some
}
