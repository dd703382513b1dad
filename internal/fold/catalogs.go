package fold

import (
	"cmp"
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/record"
)

// Catalog is what a server offers, as the agent of a session listed it last
// (protocol §7). It is immutable: a record replaces it.
type Catalog struct {
	ID        approval.ID
	Session   approval.ID // that it was opened in
	Server    string
	Transport string            // "" where the agent did not say
	Tools     map[string]string // digests, by the names of the tools; not to be changed
	Opened    uint64            // sequence of the record that opened it
	Closed    bool              // then it lists nothing
}

// Catalog returns a catalog that was ever opened in the session; none once that
// is closed.
func (s *Session) Catalog(id approval.ID) (*Catalog, bool) { return s.full().catalogs.get(id) }

// OpenCatalogs are the catalogs of the session that are not closed, in the order
// in which they were opened. No two are of one server.
func (s *Session) OpenCatalogs() []*Catalog {
	var open []*Catalog
	for _, c := range s.full().catalogs.all() {
		if !c.Closed {
			open = append(open, c)
		}
	}
	slices.SortFunc(open, func(a, b *Catalog) int { return cmp.Compare(a.Opened, b.Opened) })
	return open
}

// Catalog returns the catalog that an approval of session may be under: one of
// the session, or of one above it, whose servers a sub-agent shares.
func (s *State) Catalog(session *Session, id approval.ID) (*Catalog, bool) {
	if c, ok := session.Catalog(id); ok {
		return c, true
	}
	for above := range s.Ancestors(session) {
		if c, ok := above.Catalog(id); ok {
			return c, true
		}
	}
	return nil, false
}

// Bound are the grants in force that are bound to what a catalog of session
// lists of a tool for which keep holds, in the order they were given: in the
// session, or in one below it.
func (s *State) Bound(session *Session, catalog approval.ID, keep func(tool string) bool) []approval.Grant {
	var bound []approval.Grant
	for in := range s.Family(session) {
		for reach, g := range in.grants.all() {
			if reach.Catalog == catalog.String() && keep(reach.Tool) {
				bound = append(bound, *g)
			}
		}
	}
	slices.SortFunc(bound, func(a, b approval.Grant) int { return cmp.Compare(a.Seq, b.Seq) })
	return bound
}

// Under reports whether the approval, which must be pending or have a claim, is
// under a catalog, and of which of its tools.
func (a *Approval) Under(catalog approval.ID) (tool string, ok bool) {
	return a.Claim.Tool, a.Claim.Catalog == catalog
}

// Catalogued reports whether the approval, which must be pending or have a
// claim, is under any catalog.
func (a *Approval) Catalogued() bool {
	return !a.Claim.Catalog.IsZero()
}

// catalogTool is the name of the tool of an approval that is opened under a
// catalog; "" for one that is under none.
func catalogTool(r *record.ApprovalOpened) string {
	if r.CatalogID.IsZero() {
		return ""
	}
	subject, err := approval.DecodeSubject(r.Subject)
	if tool, ok := subject.(approval.Tool); ok && err == nil {
		return tool.ToolName
	}
	return ""
}

func (d *Details) applyCatalogOpened(r record.Record, body *record.CatalogOpened) {
	d.catalogs.put(body.CatalogID, &Catalog{
		ID: body.CatalogID, Session: r.Session, Server: body.ServerName, Transport: body.Transport,
		Tools: digests(body.Tools), Opened: r.Seq,
	})
}

func (d *Details) applyCatalogChanged(body *record.CatalogChanged) {
	d.changeCatalog(body.CatalogID, func(c *Catalog) { c.Transport, c.Tools = body.Transport, digests(body.Tools) })
}

func (d *Details) applyCatalogClosed(body *record.CatalogClosed) {
	d.changeCatalog(body.CatalogID, func(c *Catalog) { c.Closed, c.Tools = true, nil })
}

// changeCatalog replaces a catalog by one that differs as change makes it.
func (d *Details) changeCatalog(id approval.ID, change func(*Catalog)) {
	old, ok := d.catalogs.get(id)
	if !ok || old.Closed {
		return // what is closed stays closed
	}
	c := *old
	change(&c)
	d.catalogs.put(id, &c)
}

func digests(tools []record.Tool) map[string]string {
	out := make(map[string]string, len(tools))
	for _, t := range tools {
		out[t.Name] = t.Digest
	}
	return out
}

// applyEnded takes grants out of force whose tool is defined otherwise now, or
// no more.
func (s *State) applyEnded(grants []approval.ID) {
	for _, id := range grants {
		s.change(id, func(g *approval.Grant) { g.Ended = true })
	}
}
