package record

// CommandSettled is the ledger's entry for a command that left nothing else
// behind: a refusal that must be replayed unchanged, or a command that
// changed nothing (protocol §3).
type CommandSettled struct {
	By      Party   `json:"by"`
	Command *Intake `json:"command"`
}

// Kind implements Body.
func (*CommandSettled) Kind() Kind { return KindCommandSettled }

func (r *CommandSettled) command() *Intake { return r.Command }
