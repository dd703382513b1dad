package wire

// TurnInterruptParams stops a turn (protocol §4). TurnID is one that turn/start
// made, or that an approval or a prompt named, and that has not ended. What is
// pending in it settles as cancelled first, and its permits are voided, as by
// turn/complete; its agent hears of it by turn/completed.
type TurnInterruptParams struct {
	CommandID string `json:"commandId"`
	SessionID string `json:"sessionId"`
	TurnID    string `json:"turnId,omitzero"` // default: the open turn
}

// TurnInterruptResult answers turn/interrupt.
type TurnInterruptResult struct {
	Ack

	TurnID string `json:"turnId"` // the one that was stopped
}
