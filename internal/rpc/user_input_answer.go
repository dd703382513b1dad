package rpc

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

// userInputAnswer serves userInput/answer (protocol §6). Whether the answers fit the
// questions is checked by decide, after the prompt is known to wait.
func (r *request) userInputAnswer() { r.command(r.answerCommand()) }

func (r *request) answerCommand() (c decide.AnswerInput, e *wire.Error) {
	var p wire.UserInputAnswerParams
	if e := r.decode(&p); e != nil {
		return c, e
	}
	c.Answers = p.Answers
	c.Intent, c.Session, c.Input, e = r.toPrompt(p.CommandID, p.SessionID, p.UserInputID)
	return c, e
}

// toPrompt reads what every command has that is to settle a prompt.
func (r *request) toPrompt(commandID, sessionID, userInputID string) (i decide.Intent, session, input approval.ID, e *wire.Error) {
	if i, e = r.intent(commandID); e != nil {
		return i, session, input, e
	}
	if session, e = identity("sessionId", sessionID); e != nil {
		return i, session, input, e
	}
	input, e = identity("userInputId", userInputID)
	return i, session, input, e
}
