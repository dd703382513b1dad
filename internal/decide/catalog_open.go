package decide

import (
	"maps"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// OpenCatalog says which tools a server offers (protocol §7, catalog/open). For a
// server that has an open catalog in the session it updates that one.
type OpenCatalog struct {
	Intent
	Session   approval.ID
	Server    string
	Transport string                    // "" where the agent does not say
	Tools     []approval.ToolDefinition // each name once
}

func (c OpenCatalog) concerns(*fold.State) approval.ID { return c.Session }

func (c OpenCatalog) decide(s *fold.State, env Env) Result {
	session, end := c.enter(s, env, c.Session)
	switch {
	case end != nil:
		return *end
	case session.Closed:
		return Result{Refusal: sessionClosed(session, c.Intent)}
	}
	for _, open := range session.OpenCatalogs() {
		if open.Server == c.Server {
			return catalogChange{c.Intent, open, c.Transport, c.Tools}.decide(s, env, c.ack(open.ID))
		}
	}
	d := newDraft(s, env, session.ID, c.Command)
	id := env.NewID()
	ack := c.ack(id)
	d.add(approval.ID{}, &record.CatalogOpened{
		CatalogID: id, ServerName: c.Server, Transport: c.Transport, Tools: listed(c.Tools), By: c.By, Command: c.intake(ack),
	})
	return d.accepted(ack)
}

func (c OpenCatalog) ack(id approval.ID) []byte {
	return encode(wire.CatalogOpenResult{Ack: wire.Accepted(c.Command.String()), CatalogID: id.String()})
}

// listed is a list of tools as records keep it.
func listed(tools []approval.ToolDefinition) []record.Tool {
	out := make([]record.Tool, len(tools))
	for i, t := range tools {
		out[i] = record.Tool(t)
	}
	return out
}

// catalogChange is a new list for a catalog that is open.
type catalogChange struct {
	Intent
	catalog   *fold.Catalog
	transport string
	tools     []approval.ToolDefinition
}

func (c catalogChange) decide(s *fold.State, env Env, ack []byte) Result {
	digests := make(map[string]string, len(c.tools))
	for _, t := range c.tools {
		digests[t.Name] = t.Digest
	}
	moved := c.transport != c.catalog.Transport
	if !moved && maps.Equal(digests, c.catalog.Tools) {
		return unchanged(s, env, c.catalog.Session, c.Intent, ack)
	}
	d := newDraft(s, env, c.catalog.Session, c.Command)
	// What a server says over another transport is another server's word.
	other := func(tool string) bool { return moved || digests[tool] != c.catalog.Tools[tool] }
	d.add(approval.ID{}, &record.CatalogChanged{
		CatalogID: c.catalog.ID, Transport: c.transport, Tools: listed(c.tools),
		Grants: d.endUnder(c.catalog, other, "The tool that it was about has changed, or is gone.", &c.By),
		By:     c.By, Command: c.intake(ack),
	})
	return d.accepted(ack)
}

// endUnder ends what is under a catalog of the draft's session and about a tool
// for which gone holds, in the session and in those below it: what is pending
// settles as cancelled and permits are void. It gives the grants that end with
// it, for the record that says why.
func (d *draft) endUnder(catalog *fold.Catalog, gone func(tool string) bool, why string, by *record.Party) (grants []approval.ID) {
	ends := func(a *fold.Approval) bool {
		tool, under := a.Under(catalog.ID)
		return under && gone(tool)
	}
	for session := range d.state.Family(d.now()) {
		d.in(session.ID, func() {
			for _, a := range session.PendingApprovals() {
				if ends(a) {
					d.settle(a, approval.ByCatalog, &record.ApprovalSettled{Reason: why})
				}
			}
			permits := session.Claims(func(a *fold.Approval) bool { return permitted(a) && ends(a) })
			d.void(permits, wire.ReasonPermitCatalogClosed, by)
		})
	}
	return d.boundTo(catalog, gone)
}

// boundTo are the grants that are bound to tools of a catalog of the draft's
// session for which gone holds.
func (d *draft) boundTo(catalog *fold.Catalog, gone func(tool string) bool) (grants []approval.ID) {
	for _, g := range d.state.Bound(d.now(), catalog.ID, gone) {
		grants = append(grants, g.ID)
	}
	return grants
}
