package record

import "github.com/approvald/approvald/internal/approval"

// SessionStarted is the first record of every session.
type SessionStarted struct {
	WorkspaceRoot string `json:"workspaceRoot,omitempty"` // real, absolute; "" for none
	Mode          string `json:"mode"`
	Preset        string `json:"preset,omitempty"` // that the mode came with
	// Inherited says that mode and preset are the parent's: nobody chose them for
	// this session.
	Inherited bool `json:"inherited,omitempty"`
	// Parent is the session that this one is a sub-agent of; zero for a root.
	// Inherit says which grants of its ancestors it sees: "grants" or "none".
	Parent             approval.ID `json:"parent,omitzero"`
	Inherit            string      `json:"inherit,omitempty"`
	Unattended         string      `json:"unattended"`
	CancelOnDisconnect bool        `json:"cancelOnDisconnect,omitempty"`
	ProviderID         string      `json:"providerId,omitempty"`
	ModelID            string      `json:"modelId,omitempty"`
	Name               string      `json:"name,omitempty"`
	By                 Party       `json:"by"`
	Command            *Intake     `json:"command"`
}

// Kind implements Body.
func (*SessionStarted) Kind() Kind { return KindSessionStarted }

func (r *SessionStarted) command() *Intake { return r.Command }
