package record

// ModeSet is a change of a session's approval mode. Setting the mode that is
// in force changes nothing and is a CommandSettled instead.
type ModeSet struct {
	Mode    string  `json:"mode"`
	Source  string  `json:"source"`
	By      Party   `json:"by"`
	Command *Intake `json:"command"`
}

// Kind implements Body.
func (*ModeSet) Kind() Kind { return KindModeSet }

func (r *ModeSet) command() *Intake { return r.Command }
