package wire

// UserInputRequest is a prompt, a set of questions that the agent has for a person:
// the params of the server request and of the view event alike (protocol §6,
// msp-facts §6). The answer to the request is a receipt and changes nothing.
type UserInputRequest struct {
	SessionID        string          `json:"sessionId"`
	UserInputID      string          `json:"userInputId"`
	TurnID           string          `json:"turnId"` // the agent's turn; where it names none, the open one, else the userInputId
	ItemID           string          `json:"itemId"` // the userInputId
	ToolCallID       string          `json:"toolCallId"`
	ToolName         string          `json:"toolName"`
	ViewCursor       string          `json:"viewCursor"`
	SourceRange      SourceRange     `json:"sourceRange"`
	Questions        List[Question]  `json:"questions"`
	AutoResolutionMs *int64          `json:"autoResolutionMs,omitzero"` // how long it was to wait at first; absent once somebody has engaged with it
	SubagentOrigin   *SubagentOrigin `json:"subagentOrigin,omitzero"`
	ExpiresAt        *Time           `json:"expiresAt"` // when it settles as timedOut; null once somebody has engaged with it
	CreatedAt        Time            `json:"createdAt"`
}

// Question is one question of a prompt. Every question may be answered in free
// text; Options, which may be none, are what can be selected instead.
type Question struct {
	ID        string               `json:"id"` // unique in its prompt
	Header    string               `json:"header"`
	Question  string               `json:"question"`
	Options   List[QuestionOption] `json:"options"`
	Selection Selection            `json:"selection"`
}

// QuestionOption is selected by its label, which is unique in its question.
type QuestionOption struct {
	Label       string         `json:"label"`
	Description string         `json:"description,omitzero"`
	Preview     *OptionPreview `json:"preview,omitzero"`
}

// OptionPreview shows what an option would come to. Format says how to show it.
type OptionPreview struct {
	Format  string `json:"format"`
	Content string `json:"content"`
}

// SelectionMode says how many options an answer may select. The set is closed.
type SelectionMode string

const (
	SelectSingle   SelectionMode = "single"
	SelectMultiple SelectionMode = "multiple"
)

// Selection says how options are selected. Without MinSelections an answer that
// selects selects at least one, without MaxSelections at most all.
type Selection struct {
	Mode          SelectionMode `json:"mode"`
	MinSelections *int          `json:"minSelections,omitzero"`
	MaxSelections *int          `json:"maxSelections,omitzero"`
}
