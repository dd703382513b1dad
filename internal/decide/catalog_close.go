package decide

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// CloseCatalog ends a catalog (protocol §7, catalog/close). Closing twice changes
// nothing.
type CloseCatalog struct {
	Intent
	Session approval.ID // that it was opened in
	Catalog approval.ID
}

func (c CloseCatalog) concerns(*fold.State) approval.ID { return c.Session }

func (c CloseCatalog) decide(s *fold.State, env Env) Result {
	session, end := c.enter(s, env, c.Session)
	switch {
	case end != nil:
		return *end
	case session.Closed:
		return Result{Refusal: sessionClosed(session, c.Intent)}
	}
	catalog, ok := session.Catalog(c.Catalog)
	if !ok {
		return Result{Refusal: catalogNotFound(c.Catalog)}
	}
	ack := encode(wire.CatalogCloseResult{Ack: wire.Accepted(c.Command.String())})
	if catalog.Closed {
		return unchanged(s, env, session.ID, c.Intent, ack)
	}
	d := newDraft(s, env, session.ID, c.Command)
	d.add(approval.ID{}, &record.CatalogClosed{
		CatalogID: catalog.ID, Reason: record.CatalogWasClosed,
		Grants: d.endUnder(catalog, everyTool, "The catalog of its tool was closed.", &c.By),
		By:     &c.By, Command: c.intake(ack),
	})
	return d.accepted(ack)
}

func everyTool(string) bool { return true }

// loseCatalogs closes the catalogs of the draft's session, and cancels what it
// has under any, those of the sessions above included: they end with the daemon
// (protocol §7). What was under one has no successor.
func (d *draft) loseCatalogs() {
	for _, a := range d.now().PendingApprovals() {
		if a.Catalogued() {
			d.settle(a, approval.ByCatalog, &record.ApprovalSettled{
				Reason: "The daemon was restarted, and tool catalogs end with it.",
			})
		}
	}
	d.void(d.now().Claims(cataloguedPermit), wire.ReasonPermitCatalogClosed, nil)
	for _, open := range d.now().OpenCatalogs() {
		d.add(approval.ID{}, &record.CatalogClosed{
			CatalogID: open.ID, Reason: record.CatalogLost, Grants: d.boundTo(open, everyTool),
		})
	}
}

// cataloguedPermit reports whether a is a permit under a catalog.
func cataloguedPermit(a *fold.Approval) bool { return permitted(a) && a.Catalogued() }
