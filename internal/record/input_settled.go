package record

import "encoding/json"

// InputSettled is the terminal record of a prompt; there is never a second one
// (invariant 3).
type InputSettled struct {
	Opened        uint64          `json:"opened"` // sequence of the prompt's opening record
	Outcome       string          `json:"outcome"`
	Source        string          `json:"source"`                  // reviewer, deadline, agent, turn or session
	Answers       json.RawMessage `json:"answers,omitempty"`       // as published; absent: none
	Clarification json.RawMessage `json:"clarification,omitempty"` // as published
	Reason        string          `json:"reason,omitempty"`
	By            *Party          `json:"by,omitempty"` // nil: no person decided
	Command       *Intake         `json:"command,omitempty"`
}

// Kind implements Body.
func (*InputSettled) Kind() Kind { return KindInputSettled }

func (r *InputSettled) command() *Intake { return r.Command }
