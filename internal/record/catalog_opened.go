package record

import "github.com/approvald/approvald/internal/approval"

// CatalogOpened says which tools a server offers to the session's agent, each by
// the digest of its definition (protocol §7). The catalog ends with a
// CatalogClosed of its id, or with the session.
type CatalogOpened struct {
	CatalogID  approval.ID `json:"catalogId"`
	ServerName string      `json:"serverName"`
	Transport  string      `json:"transport,omitempty"`
	Tools      []Tool      `json:"tools"` // as the agent listed them
	By         Party       `json:"by"`
	Command    *Intake     `json:"command"`
}

// Tool is a tool as a catalog lists it.
type Tool struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
}

// Kind implements Body.
func (*CatalogOpened) Kind() Kind { return KindCatalogOpened }

func (r *CatalogOpened) command() *Intake { return r.Command }
