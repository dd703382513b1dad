package record

// SessionClosed is the last record of a session.
type SessionClosed struct {
	Reason  string  `json:"reason"`
	By      Party   `json:"by"`
	Command *Intake `json:"command,omitempty"` // nil where the daemon closed it
}

// Kind implements Body.
func (*SessionClosed) Kind() Kind { return KindSessionClosed }

func (r *SessionClosed) command() *Intake { return r.Command }
