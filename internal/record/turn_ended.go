package record

// TurnEnded says that a turn of the session is over. What was pending in it was
// settled, and its permits were voided, before it in the same commit. The header of
// the one that ends the open turn names that as the header of TurnStarted does.
type TurnEnded struct {
	TurnID   string `json:"turnId"`
	Terminal string `json:"terminal"` // completed, cancelled or failed
	Reason   string `json:"reason,omitempty"`
	By       Party  `json:"by"` // zero where the daemon ended it
	// Command is that of turn/complete or turn/interrupt; what else ends a turn has an
	// entry of its own, or none.
	Command *Intake `json:"command,omitempty"`
}

// Kind implements Body.
func (*TurnEnded) Kind() Kind { return KindTurnEnded }

func (r *TurnEnded) command() *Intake { return r.Command }
