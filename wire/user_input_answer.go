package wire

import "encoding/json"

// UserInputAnswerParams settles a prompt as answered: one answer a question, in any
// order. The first durable settlement wins.
type UserInputAnswerParams struct {
	CommandID   string       `json:"commandId"`
	SessionID   string       `json:"sessionId"`
	UserInputID string       `json:"userInputId"`
	Answers     List[Answer] `json:"answers"`
}

// Answer is the answer to one question: with SelectedLabel where it takes a single option,
// with SelectedLabels where it takes several, or with FreeText; exactly one of them.
// FreeText and Note are at most 500 characters.
type Answer struct {
	QuestionID     string          `json:"questionId"`
	SelectedLabel  *string         `json:"selectedLabel,omitzero"`
	SelectedLabels []string        `json:"selectedLabels,omitzero"`
	FreeText       *string         `json:"freeText,omitzero"`
	Note           *string         `json:"note,omitzero"`
	Attachments    json.RawMessage `json:"attachments,omitempty"` // reserved: an answer with them is refused
}

// UserInputResult is the ack of every command that settles a prompt.
type UserInputResult struct {
	Ack
	UserInputID string `json:"userInputId"`
}
