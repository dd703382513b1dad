package decide

import (
	"fmt"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// UpdateCatalog replaces what a catalog lists (protocol §7, catalog/update).
type UpdateCatalog struct {
	Intent
	Session approval.ID // that it was opened in
	Catalog approval.ID
	Tools   []approval.ToolDefinition // each name once
}

func (c UpdateCatalog) concerns(*fold.State) approval.ID { return c.Session }

func (c UpdateCatalog) decide(s *fold.State, env Env) Result {
	session, end := c.enter(s, env, c.Session)
	switch {
	case end != nil:
		return *end
	case session.Closed:
		return Result{Refusal: sessionClosed(session, c.Intent)}
	}
	catalog, ok := session.Catalog(c.Catalog)
	switch {
	case !ok:
		return Result{Refusal: catalogNotFound(c.Catalog)}
	case catalog.Closed:
		return refused(s, env, session, c.Intent, catalogClosed(catalog.ID))
	}
	ack := encode(wire.CatalogUpdateResult{Ack: wire.Accepted(c.Command.String())})
	return catalogChange{c.Intent, catalog, catalog.Transport, c.Tools}.decide(s, env, ack)
}

func catalogNotFound(id approval.ID) *wire.Error {
	return wire.NewError(wire.CodeNotFound, fmt.Sprintf("No catalog %s was ever opened in this session.", id))
}

func catalogClosed(id approval.ID) *wire.Error {
	return wire.NewError(wire.CodeCatalogClosed, fmt.Sprintf("Catalog %s is closed; open the server's catalog again.", id))
}
