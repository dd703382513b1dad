package rpc

import (
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

// catalogUpdate serves catalog/update (protocol §7).
func (r *request) catalogUpdate() { r.command(r.updateCatalogCommand()) }

func (r *request) updateCatalogCommand() (c decide.UpdateCatalog, e *wire.Error) {
	var p wire.CatalogUpdateParams
	if e := r.decode(&p); e != nil {
		return c, e
	}
	if c.Intent, e = r.intent(p.CommandID); e != nil {
		return c, e
	}
	if c.Session, e = r.session(p.SessionID); e != nil {
		return c, e
	}
	if c.Catalog, e = identity("catalogId", p.CatalogID); e != nil {
		return c, e
	}
	c.Tools, e = toolsOf(p.Tools)
	return c, e
}
