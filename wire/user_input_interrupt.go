package wire

// UserInputInterruptParams settles a prompt as interrupted, with the answers that
// there are so far, and stops its turn.
type UserInputInterruptParams struct {
	CommandID   string       `json:"commandId"`
	SessionID   string       `json:"sessionId"`
	UserInputID string       `json:"userInputId"`
	Answers     List[Answer] `json:"answers,omitzero"` // of at most every question
}
