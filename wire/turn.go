package wire

// TurnTerminal says how a turn ended. The set is closed.
type TurnTerminal string

const (
	TurnWasCompleted TurnTerminal = "completed"
	TurnWasCancelled TurnTerminal = "cancelled"
	TurnHasFailed    TurnTerminal = "failed"
)

// TurnCompleteParams is the agent's word that a turn is over (protocol §7).
// TurnID is one that turn/start made, or that an approval or a prompt named. What
// is pending in the turn, and in the calls that are nested in its own, settles as
// cancelled first, and its permits are voided. From then on approval/open and
// userInput/open refuse the turn.
type TurnCompleteParams struct {
	CommandID string       `json:"commandId"`
	SessionID string       `json:"sessionId"`
	TurnID    string       `json:"turnId"`
	Terminal  TurnTerminal `json:"terminal"`
	Reason    string       `json:"reason,omitzero"`
}

// TurnCompleteResult answers turn/complete.
type TurnCompleteResult struct {
	Ack
}

// TurnCompleted is the view event of a turn that is over. It comes after
// everything that its end settled.
type TurnCompleted struct {
	SessionID   string       `json:"sessionId"`
	ViewCursor  string       `json:"viewCursor"`
	SourceRange SourceRange  `json:"sourceRange"`
	TurnID      string       `json:"turnId"`
	Terminal    TurnTerminal `json:"terminal"`
	Reason      string       `json:"reason,omitzero"`

	SubagentOrigin *SubagentOrigin `json:"subagentOrigin,omitzero"`
}
