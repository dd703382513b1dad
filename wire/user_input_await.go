package wire

// UserInputAwaitParams waits until all of 1 to 1000 prompts are settled, or WaitMs
// have passed (0: answer at once; nil: no end). Running out changes nothing.
type UserInputAwaitParams struct {
	SessionID    string       `json:"sessionId"`
	UserInputIDs List[string] `json:"userInputIds"`
	WaitMs       *int64       `json:"waitMs,omitzero"`
}

// UserInputAwaitResult holds one result an id, in the order asked.
type UserInputAwaitResult struct {
	Results List[UserInputAwaited] `json:"results"`
}

// UserInputState tells pending prompts from settled ones.
type UserInputState string

const (
	UserInputPending UserInputState = "pending"
	UserInputSettled UserInputState = "settled"
)

// UserInputAwaited is what is known of one prompt; Settlement is set when State is
// settled.
type UserInputAwaited struct {
	UserInputID string               `json:"userInputId"`
	State       UserInputState       `json:"state"`
	Settlement  *UserInputSettlement `json:"settlement,omitzero"`
}

// UserInputSettlement is how a prompt ended, as the agent is told. Answers are
// those of the outcomes answered and, as far as they go, interrupted.
type UserInputSettlement struct {
	Outcome       UserInputOutcome `json:"outcome"`
	Answers       List[Answer]     `json:"answers"`
	Clarification *Clarification   `json:"clarification"` // of the outcome clarified
	Reason        *string          `json:"reason"`
	DecidedAt     Time             `json:"decidedAt"`
}
