package record

import "github.com/approvald/approvald/internal/approval"

// CatalogClosed ends a catalog, and with it the grants that were bound to what it
// listed.
type CatalogClosed struct {
	CatalogID approval.ID   `json:"catalogId"`
	Reason    string        `json:"reason"` // closed or restart
	Grants    []approval.ID `json:"grants,omitempty"`
	By        *Party        `json:"by,omitempty"`      // nil where a restart closed it
	Command   *Intake       `json:"command,omitempty"` // nil where a restart closed it
}

// Why a catalog was closed.
const (
	CatalogWasClosed = "closed"  // by catalog/close
	CatalogLost      = "restart" // catalogs end with the daemon
)

// Kind implements Body.
func (*CatalogClosed) Kind() Kind { return KindCatalogClosed }

func (r *CatalogClosed) command() *Intake { return r.Command }
