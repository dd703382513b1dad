package record

// TurnEnded says that a turn of the session is over. What was pending in it was
// settled, and its permits were voided, before it in the same commit.
type TurnEnded struct {
	TurnID   string  `json:"turnId"`
	Terminal string  `json:"terminal"` // completed, cancelled or failed
	Reason   string  `json:"reason,omitempty"`
	By       Party   `json:"by"`
	Command  *Intake `json:"command,omitempty"` // of turn/complete; an interrupted prompt has its own
}

// Kind implements Body.
func (*TurnEnded) Kind() Kind { return KindTurnEnded }

func (r *TurnEnded) command() *Intake { return r.Command }
