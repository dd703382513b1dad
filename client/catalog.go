package client

import (
	"context"

	"github.com/approvald/approvald/wire"
)

// OpenCatalog says which tools a server offers, and gives the id that
// [wire.ApprovalOpenParams] takes as CatalogID: approvals and session grants
// under it are bound to the tools as they are listed. Opening the catalog of a
// server again updates the one that is open. Catalogs end with the daemon: an
// error of the kind catalogClosed says that it is time to open it again. A
// commandId is minted where p has none.
func (c *Client) OpenCatalog(ctx context.Context, p wire.CatalogOpenParams) (wire.CatalogOpenResult, error) {
	p.CommandID = orNewID(p.CommandID)
	var r wire.CatalogOpenResult
	_, err := c.call(ctx, wire.MethodCatalogOpen, p, &r)
	return r, err
}

// UpdateCatalog replaces what a catalog lists. What waits for a tool that
// changed or is gone settles as cancelled, and its permits and grants end. A
// commandId is minted where p has none.
func (c *Client) UpdateCatalog(ctx context.Context, p wire.CatalogUpdateParams) (wire.CatalogUpdateResult, error) {
	p.CommandID = orNewID(p.CommandID)
	var r wire.CatalogUpdateResult
	_, err := c.call(ctx, wire.MethodCatalogUpdate, p, &r)
	return r, err
}

// CloseCatalog ends a catalog, as when its server is gone. Closing again changes
// nothing. A commandId is minted where p has none.
func (c *Client) CloseCatalog(ctx context.Context, p wire.CatalogCloseParams) (wire.CatalogCloseResult, error) {
	p.CommandID = orNewID(p.CommandID)
	var r wire.CatalogCloseResult
	_, err := c.call(ctx, wire.MethodCatalogClose, p, &r)
	return r, err
}
