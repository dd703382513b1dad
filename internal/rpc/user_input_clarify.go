package rpc

import (
	"unicode/utf8"

	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

// maxClarification is how many characters a clarification may have.
const maxClarification = 500

// userInputClarify serves userInput/clarify (protocol §6).
func (r *request) userInputClarify() { r.command(r.clarifyCommand()) }

func (r *request) clarifyCommand() (c decide.ClarifyInput, e *wire.Error) {
	var p wire.UserInputClarifyParams
	if e := r.decode(&p); e != nil {
		return c, e
	}
	c.Clarification = p.Clarification
	if c.Intent, c.Session, c.Input, e = r.toPrompt(p.CommandID, p.SessionID, p.UserInputID); e != nil {
		return c, e
	}
	if p.Clarification.Format != wire.ClarificationText {
		return c, invalid("clarification.format must be %s", wire.ClarificationText)
	}
	if n := utf8.RuneCountInString(p.Clarification.Content); n < 1 || n > maxClarification {
		return c, invalid("clarification.content must be 1 to %d characters long, not %d", maxClarification, n)
	}
	return c, nil
}
