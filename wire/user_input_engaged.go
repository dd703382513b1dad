package wire

// UserInputEngaged says that a person has begun to answer: the prompt's deadline is
// removed for good. It is a notification and is not answered.
type UserInputEngaged struct {
	SessionID   string `json:"sessionId"`
	UserInputID string `json:"userInputId"`
}
