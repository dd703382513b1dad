package record

// Recovered says that a restarted daemon went through a session's pending
// approvals. It precedes what it did about them, in the same commit.
type Recovered struct {
	Pending int `json:"pending"` // how many there were
}

// Kind implements Body.
func (*Recovered) Kind() Kind { return KindRecovered }

func (*Recovered) command() *Intake { return nil }
