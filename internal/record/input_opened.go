package record

import "encoding/json"

// InputOpened is the opening record of a prompt, whose id stands in the header
// where that of an approval does: it is pending while no InputSettled names it.
type InputOpened struct {
	ToolCallID       string          `json:"toolCallId"`
	ToolName         string          `json:"toolName"`
	TurnID           string          `json:"turnId"`
	ItemID           string          `json:"itemId"`
	Questions        json.RawMessage `json:"questions"` // as published
	AutoResolutionMs *int64          `json:"autoResolutionMs,omitempty"`
	ExpiresAt        *int64          `json:"expiresAt,omitempty"` // Unix milliseconds; absent: never
	By               Party           `json:"by"`
	Command          *Intake         `json:"command"`
}

// Kind implements Body.
func (*InputOpened) Kind() Kind { return KindInputOpened }

func (r *InputOpened) command() *Intake { return r.Command }
