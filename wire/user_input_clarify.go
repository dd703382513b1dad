package wire

// UserInputClarifyParams settles a prompt as clarified: the person says something
// instead of answering.
type UserInputClarifyParams struct {
	CommandID     string        `json:"commandId"`
	SessionID     string        `json:"sessionId"`
	UserInputID   string        `json:"userInputId"`
	Clarification Clarification `json:"clarification"`
}

// Clarification is what a person says. Content is 1 to 500 characters.
type Clarification struct {
	Format  ClarificationFormat `json:"format"`
	Content string              `json:"content"`
}

// ClarificationFormat says how to read a clarification.
type ClarificationFormat string

// ClarificationText is the one format that there is.
const ClarificationText ClarificationFormat = "text"
