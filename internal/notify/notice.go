package notify

import (
	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

// Event says what has happened to what a notice is about.
type Event string

// The events of a notice.
const (
	Requested Event = "requested" // it waits for a person
	Settled   Event = "settled"   // it does not any more
)

// Kind says what a notice is about.
type Kind string

// The kinds of a notice.
const (
	Approval  Kind = "approval"
	UserInput Kind = "userInput"
)

// Notice is what a medium tells, and, as one line of JSON, what a program is given.
// Title and Text are safe to show: one line each, with hidden characters written out.
type Notice struct {
	Event     Event  `json:"event"`
	Kind      Kind   `json:"kind"`
	SessionID string `json:"sessionId"`
	ID        string `json:"id"` // approvalId or userInputId
	ToolName  string `json:"toolName,omitzero"`
	Title     string `json:"title,omitzero"`
	Text      string `json:"text,omitzero"`
	// Link leads to it in the web inbox; "" where there is none.
	Link      string     `json:"link,omitzero"`
	ExpiresAt *wire.Time `json:"expiresAt,omitzero"`
	// Outcome is how it ended, of a settled one.
	Outcome string `json:"outcome,omitzero"`
}

// maxText bounds a text in characters: the rest is in the inbox.
const maxText = 300

func requested(r *wire.ApprovalRequest) Notice {
	c := card.New(r, nil)
	return Notice{
		Event: Requested, Kind: Approval, SessionID: r.SessionID, ID: r.ApprovalID, ToolName: card.Visible(r.ToolName),
		Title: c.Title, Text: card.Clip(c.Headline.String(), maxText), ExpiresAt: r.ExpiresAt,
	}
}

func asked(r *wire.UserInputRequest) Notice {
	text := ""
	if len(r.Questions) > 0 {
		text = card.Visible(r.Questions[0].Question)
	}
	return Notice{
		Event: Requested, Kind: UserInput, SessionID: r.SessionID, ID: r.UserInputID, ToolName: card.Visible(r.ToolName),
		Title: "Answer a question", Text: card.Clip(text, maxText), ExpiresAt: r.ExpiresAt,
	}
}
