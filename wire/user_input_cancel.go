package wire

// UserInputCancelParams settles a prompt as cancelled: the person will not answer.
type UserInputCancelParams struct {
	CommandID   string `json:"commandId"`
	SessionID   string `json:"sessionId"`
	UserInputID string `json:"userInputId"`
	Reason      string `json:"reason,omitzero"` // for the agent
}
