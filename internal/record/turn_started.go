package record

import "encoding/json"

// TurnStarted opens a turn, whose id stands in the header where that of an approval
// does: it is the session's open turn while no TurnEnded whose header names it comes.
type TurnStarted struct {
	Input json.RawMessage `json:"input"` // as published
	// Agent is whom it is for: the client that was attached; nil where the program of
	// --agent-cmd is to be started for it.
	Agent *Party `json:"agent,omitempty"`
	// Hosted says that the agent is the program of --agent-cmd, which ends with the
	// daemon, and the turn with it.
	Hosted  bool    `json:"hosted,omitempty"`
	By      Party   `json:"by"`
	Command *Intake `json:"command"`
}

// Kind implements Body.
func (*TurnStarted) Kind() Kind { return KindTurnStarted }

func (r *TurnStarted) command() *Intake { return r.Command }
