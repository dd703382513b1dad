package inbox

import "github.com/approvald/approvald/wire"

// Msg is something that happened.
type Msg any

// Key is a key that was pressed. Name says which ("a", "enter", "ctrl+u"), Text what it
// writes, "" for nothing.
type Key struct{ Name, Text string }

// Pasted is text that was pasted. It is never taken for keys.
type Pasted struct{ Text string }

// What is typed out and entered is on purpose, as a key may not be: it is not held
// against [ArmAfter]. It names the requirement that was read, and is refused where that is
// another by now.

// Selected shows the card of a row.
type Selected struct{ ID string }

// Chosen is the choice at a place of the menu that was read, from 0, with words where it
// takes any.
type Chosen struct {
	Requirement wire.RequirementID
	Menu        []wire.Choice
	At          int
	Words       *string
}

// Answered answers a question of the prompt that is shown: with options, by their places,
// or with words.
type Answered struct {
	Requirement wire.RequirementID
	Question    int
	Options     []int
	Words       string
}

// SendAnswers sends the answers of the prompt that is shown.
type SendAnswers struct{ Requirement wire.RequirementID }

// Spoken ends the prompt that is shown with words instead of answers: as a reply, or
// declining.
type Spoken struct {
	Requirement wire.RequirementID
	Words       string
	Decline     bool
}

// Resized tells how much room there is.
type Resized struct{ Width, Height int }

// Tick tells that time has passed.
type Tick struct{}

// Linked tells that the daemon can be reached; a [Snapshot] follows.
type Linked struct{}

// Lost tells that the daemon cannot be reached.
type Lost struct{}

// Snapshot is all that waits, in the order in which it was opened.
type Snapshot struct{ Waiting []Waiting }

// Waiting is an approval or a prompt that waits: one of them.
type Waiting struct {
	Approval *wire.ApprovalRequest
	Prompt   *wire.UserInputRequest
}

// Event is a notification of the daemon, decoded: a pointer to a struct of package wire.
type Event struct{ Params any }

// The answers to effects. Err is the daemon's refusal, or why there was no answer.

// Decided answers [Decide].
type Decided struct {
	Params wire.ApprovalDecideParams
	Ack    wire.ApprovalDecideResult
	Err    error
}

// Replied answers [Answer], [Decline] and [Clarify].
type Replied struct {
	PromptID string
	Words    string // what was done: "answered"
	Err      error
}

// Known answers [Read].
type Known struct {
	ApprovalID string
	Result     wire.ApprovalReadResult
	Err        error
}

// Past answers [LoadPast], the latest first.
type Past struct {
	Entries []Entry
	Err     error
}

// Granted answers [LoadGrants].
type Granted struct {
	Grants []wire.Grant
	Err    error
}

// Revoked answers [Revoke].
type Revoked struct {
	Grant wire.Grant
	Err   error
}

// Sessions answers [LoadSessions].
type Sessions struct {
	Sessions []wire.Session
	Err      error
}

// ModeSet answers [SetMode].
type ModeSet struct {
	SessionID string
	Mode      wire.Mode // in force, where Err is nil
	Err       error
}

// Entry is one approval or prompt that was decided.
type Entry struct {
	Approval   *wire.ApprovalRequest
	Resolution *wire.Resolution
	By         *wire.Decider // who decided about the approval; nil for policy
	Prompt     *wire.UserInputRequest
	Settlement *wire.UserInputSettledEvent
}

// Effect is something that is to be done outside.
type Effect any

// Decide decides an approval. The commandId is minted by who carries it out.
type Decide struct{ Params wire.ApprovalDecideParams }

// Answer answers a prompt.
type Answer struct{ Params wire.UserInputAnswerParams }

// Decline declines to answer a prompt.
type Decline struct{ Params wire.UserInputCancelParams }

// Clarify says something instead of answering a prompt.
type Clarify struct{ Params wire.UserInputClarifyParams }

// Engage tells that a person has begun to answer a prompt. It has no answer.
type Engage struct{ Params wire.UserInputEngaged }

// Read reads an approval.
type Read struct{ SessionID, ApprovalID string }

// LoadPast reads what was decided lately.
type LoadPast struct{}

// LoadGrants reads the grants.
type LoadGrants struct{}

// Revoke takes a grant back.
type Revoke struct{ Grant wire.Grant }

// LoadSessions reads the sessions.
type LoadSessions struct{}

// SetMode switches the mode of a session.
type SetMode struct {
	SessionID string
	Mode      wire.Mode
}

// Wake asks for a [Tick] when a card is armed.
type Wake struct{}

// Quit ends the inbox.
type Quit struct{}
