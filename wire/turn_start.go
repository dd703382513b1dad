package wire

import "encoding/json"

// TurnStartParams has the attached agent begin a turn (protocol §4): the newest
// connection that owns the session and said turns, else the program of
// serve --agent-cmd. Input is for the agent and carried verbatim: one JSON object
// or more, of at most 4 MiB together.
type TurnStartParams struct {
	CommandID string                `json:"commandId"`
	SessionID string                `json:"sessionId"`
	Input     List[json.RawMessage] `json:"input"` // of MSP {"type":"text","text":…}, or whatever the agent knows
}

// TurnStartResult answers turn/start. The turn is open: it is the session's
// activeTurnId until turn/completed.
type TurnStartResult struct {
	Ack

	TurnID         string          `json:"turnId"`         // of the turn that began
	StartedNewTurn bool            `json:"startedNewTurn"` // always true
	Disposition    TurnDisposition `json:"disposition"`
}

// TurnDisposition says what became of the input of a turn.
type TurnDisposition string

// TurnBegan is the one that approvald has: an open turn takes no more input, and
// none is queued behind it.
const TurnBegan TurnDisposition = "started"

// TurnStarted is the view event of a turn that began. It is how the attached agent
// learns that it has something to do.
type TurnStarted struct {
	SessionID   string                `json:"sessionId"`
	ViewCursor  string                `json:"viewCursor"`
	SourceRange SourceRange           `json:"sourceRange"`
	TurnID      string                `json:"turnId"`    // the one that began
	CommandID   string                `json:"commandId"` // of turn/start
	Input       List[json.RawMessage] `json:"input"`     // as given to turn/start

	SubagentOrigin *SubagentOrigin `json:"subagentOrigin,omitzero"`
}
