package wire

// UserInputOpenParams puts questions to a person (protocol §7). With
// AutoResolutionMs, 1 to 2147483647, the prompt settles as timedOut that long
// after it was opened, restarts included, unless somebody has engaged with it.
type UserInputOpenParams struct {
	CommandID        string         `json:"commandId"`
	SessionID        string         `json:"sessionId"`
	ToolCallID       string         `json:"toolCallId"`
	ToolName         string         `json:"toolName"`
	Questions        List[Question] `json:"questions"` // 1 to 64
	AutoResolutionMs *int64         `json:"autoResolutionMs,omitzero"`
	TurnID           string         `json:"turnId,omitzero"` // default: the open turn, else the userInputId
}

// UserInputOpenResult is the ack of an opening.
type UserInputOpenResult struct {
	Ack
	UserInputID string `json:"userInputId"`
}
