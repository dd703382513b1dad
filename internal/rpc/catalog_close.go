package rpc

import (
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

// catalogClose serves catalog/close (protocol §7).
func (r *request) catalogClose() { r.command(r.closeCatalogCommand()) }

func (r *request) closeCatalogCommand() (c decide.CloseCatalog, e *wire.Error) {
	var p wire.CatalogCloseParams
	if e := r.decode(&p); e != nil {
		return c, e
	}
	if c.Intent, e = r.intent(p.CommandID); e != nil {
		return c, e
	}
	if c.Session, e = r.session(p.SessionID); e != nil {
		return c, e
	}
	c.Catalog, e = identity("catalogId", p.CatalogID)
	return c, e
}
