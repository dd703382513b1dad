package wire

// UserInputRequest holds the params of the server request userInput/request and
// of the view event userInput/requested: a prompt, which is a set of questions
// that the agent has for a person (protocol §6, msp-facts §6). The answer to
// userInput/request is a receipt and changes nothing.
//
// AutoResolutionMs is how long the prompt waited for at first, and ExpiresAt the
// instant at which it settles as timedOut; a request that comes after the first
// userInput/engaged has neither.
type UserInputRequest struct {
	SessionID        string          `json:"sessionId"`
	UserInputID      string          `json:"userInputId"`
	TurnID           string          `json:"turnId"`
	ItemID           string          `json:"itemId"`
	ToolCallID       string          `json:"toolCallId"`
	ToolName         string          `json:"toolName"`
	ViewCursor       string          `json:"viewCursor"`
	SourceRange      SourceRange     `json:"sourceRange"`
	Questions        List[Question]  `json:"questions"`
	AutoResolutionMs *int64          `json:"autoResolutionMs,omitzero"`
	SubagentOrigin   *SubagentOrigin `json:"subagentOrigin,omitzero"`
	ExpiresAt        *Time           `json:"expiresAt"`
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
