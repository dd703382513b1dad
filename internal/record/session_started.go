package record

// SessionStarted is the first record of every session.
type SessionStarted struct {
	WorkspaceRoot      string  `json:"workspaceRoot,omitempty"` // real, absolute; "" for none
	Mode               string  `json:"mode"`
	Unattended         string  `json:"unattended"`
	CancelOnDisconnect bool    `json:"cancelOnDisconnect,omitempty"`
	ProviderID         string  `json:"providerId,omitempty"`
	ModelID            string  `json:"modelId,omitempty"`
	Name               string  `json:"name,omitempty"`
	By                 Party   `json:"by"`
	Command            *Intake `json:"command"`
}

// Kind implements Body.
func (*SessionStarted) Kind() Kind { return KindSessionStarted }

func (r *SessionStarted) command() *Intake { return r.Command }
