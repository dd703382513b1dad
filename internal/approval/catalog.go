package approval

// ToolDefinition is a tool as its server's catalog lists it. Digest is the
// agent's, of everything by which the tool presents itself; approvald compares
// it with itself alone.
type ToolDefinition struct {
	Name   string
	Digest string
}

// Under is the reach bound to a tool's definition: it ends with the catalog, and
// with the digest. Two tools of one name in two catalogs are two things.
func (r Reach) Under(catalog ID, digest string) Reach {
	r.Catalog, r.Digest = catalog.String(), digest
	return r
}

// Unbound is the reach of a grant that was given without a catalog: on the tool
// of this name, whatever its definition. ok is false where r is one itself.
func (r Reach) Unbound() (unbound Reach, ok bool) {
	ok = r.Catalog != ""
	r.Catalog, r.Digest = "", ""
	return r, ok
}

// Bind is the reach of a session grant on the action, from that of its subject:
// of a tool under a catalog, only the tool as it is defined there.
func (a Action) Bind(r Reach) Reach {
	tool, ok := a.Subject.(Tool)
	if !ok || a.Catalog.IsZero() {
		return r
	}
	return r.Under(a.Catalog, tool.ToolDigest)
}
