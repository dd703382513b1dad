package card

import (
	"strings"

	"github.com/approvald/approvald/wire"
)

// transportWeb is how the web inbox is connected to its daemon.
const transportWeb = "web"

// Person names a person by what they decided with: what the client says of itself, and
// how it was connected, which the daemon knows. "" for nobody, or where it is not told.
func Person(by *wire.Decider) string {
	if by == nil {
		return ""
	}
	switch {
	case by.Transport == transportWeb:
		return "the web inbox"
	case by.ClientName == "approvald_inbox":
		return "the terminal inbox"
	case by.ClientName == "approvald_cli":
		return "the command line"
	case by.ClientName == "approvald_exec":
		return "the terminal of exec"
	}
	return Clip(Visible(by.ClientName), 64) + " (" + Clip(Visible(by.Transport), 64) + ")"
}

// OutcomeByText says in a few words what became of an approval, and by whom: by the
// person, where it is known who that was.
func OutcomeByText(o wire.Outcome, by wire.ResolvedBy, person string) string {
	text := OutcomeText(o, by)
	if person == "" || by != wire.ResolvedByUser {
		return text
	}
	before, found := strings.CutSuffix(text, aReviewer)
	if !found {
		return text
	}
	return before + person
}

// PromptOutcomeByText says in a few words what became of a prompt, and by whom, where a
// person settled it.
func PromptOutcomeByText(o wire.UserInputOutcome, person string) string {
	if person == "" {
		return PromptOutcomeText(o)
	}
	return PromptOutcomeText(o) + " by " + person
}
