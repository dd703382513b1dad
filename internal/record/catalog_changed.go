package record

import "github.com/approvald/approvald/internal/approval"

// CatalogChanged replaces what a catalog lists. What waited for a tool that is
// another one now, or that is gone, was settled before it in the same commit.
type CatalogChanged struct {
	CatalogID approval.ID `json:"catalogId"`
	Transport string      `json:"transport,omitempty"`
	Tools     []Tool      `json:"tools"` // all of them, as the agent listed them
	// Grants are those that were bound to a definition that is no more: they end
	// with this record, in whatever session of the family they were given.
	Grants  []approval.ID `json:"grants,omitempty"`
	By      Party         `json:"by"`
	Command *Intake       `json:"command"`
}

// Kind implements Body.
func (*CatalogChanged) Kind() Kind { return KindCatalogChanged }

func (r *CatalogChanged) command() *Intake { return r.Command }
