package wire

// UserInputOutcome is the terminal state of a prompt.
type UserInputOutcome string

const (
	UserInputAnswered    UserInputOutcome = "answered"
	UserInputCancelled   UserInputOutcome = "cancelled"
	UserInputInterrupted UserInputOutcome = "interrupted"
	UserInputClarified   UserInputOutcome = "clarified"
	UserInputTimedOut    UserInputOutcome = "timedOut"
	UserInputAborted     UserInputOutcome = "aborted" // reserved
)

// UserInputSettledEvent is the view event of the terminal record of a prompt: to
// every subscriber, the one who settled it included, exactly once.
// DecidedByCommandID is null where nobody decided: a deadline, the agent, or the
// end of the turn or the session.
type UserInputSettledEvent struct {
	SessionID          string           `json:"sessionId"`
	UserInputID        string           `json:"userInputId"`
	Outcome            UserInputOutcome `json:"outcome"`
	Answers            List[Answer]     `json:"answers"`
	Clarification      *Clarification   `json:"clarification"`
	Reason             *string          `json:"reason"`
	DecidedByCommandID *string          `json:"decidedByCommandId"`
	DecidedAt          *Time            `json:"decidedAt"`
	SourceRange        SourceRange      `json:"sourceRange"`
	ViewCursor         string           `json:"viewCursor"`
	SubagentOrigin     *SubagentOrigin  `json:"subagentOrigin,omitzero"`
	DecidedBy          *Decider         `json:"decidedBy,omitzero"` // with CapabilityDecidedBy, where a person decided
}

// SettlementNotice tells the loser of a race how the prompt ended.
type SettlementNotice struct {
	Outcome    UserInputOutcome `json:"outcome"`
	ViewCursor string           `json:"viewCursor"` // of userInput/settled
}
