package decide

import (
	"encoding/json"
	"fmt"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// A prompt is settled by the first durable command that does, by its deadline, or
// with what it belongs to: its call, its turn, its session. Policy has no say in it.

// enterPrompt looks up a prompt that the intent is to settle: the session and the
// prompt to go on with, or the result that ends it here. The order of checks is that
// of protocol §3: replay, session, prompt, terminal.
func (i Intent) enterPrompt(s *fold.State, env Env, session, input approval.ID) (*fold.Session, *fold.Prompt, *Result) {
	in, end := i.enter(s, env, session)
	if end != nil {
		return nil, nil, end
	}
	p, ok := in.Prompt(input)
	switch {
	case !ok && in.Closed:
		return nil, nil, &Result{Refusal: sessionClosed(in, i)}
	case !ok:
		return nil, nil, &Result{Refusal: UserInputNotFound(input)}
	case !p.Pending():
		return nil, nil, &Result{Refusal: alreadySettled(in.ID, p)}
	}
	return in, p, nil
}

// settlePrompt appends the terminal record of a prompt that a person settles, which
// is the command's entry in the ledger, and gives its ack.
func (i Intent) settlePrompt(d *draft, p *fold.Prompt, outcome wire.UserInputOutcome, body *record.InputSettled) json.RawMessage {
	ack := encode(wire.UserInputResult{Ack: wire.Accepted(i.Command.String()), UserInputID: p.ID.String()})
	body.By, body.Command = &i.By, i.intake(ack)
	d.settlePrompt(p, outcome, wire.SourceReviewer, body)
	return ack
}

// settlePrompt appends the terminal record of a pending prompt.
func (d *draft) settlePrompt(p *fold.Prompt, outcome wire.UserInputOutcome, source wire.Source, body *record.InputSettled) {
	body.Opened, body.Outcome, body.Source = p.Opened, string(outcome), string(source)
	d.add(p.ID, body)
}

// cancelPrompts settles prompts of the draft's session that nobody will wait for any
// more, and names them.
func (d *draft) cancelPrompts(prompts []*fold.Prompt, source wire.Source, reason string) (cancelled []string) {
	for _, p := range prompts {
		d.settlePrompt(p, wire.UserInputCancelled, source, &record.InputSettled{Reason: reason})
		cancelled = append(cancelled, p.ID.String())
	}
	return cancelled
}

// UserInputNotFound says that the session never had such a prompt.
func UserInputNotFound(id approval.ID) *wire.Error {
	return wire.NewError(wire.CodeUserInputNotFound,
		fmt.Sprintf("No prompt %s was ever opened in this session.", id),
		func(d *wire.ErrorData) { d.UserInputID = id.String() })
}

func alreadySettled(session approval.ID, p *fold.Prompt) *wire.Error {
	return wire.NewError(wire.CodeUserInputAlreadySettled,
		fmt.Sprintf("Prompt %s is settled already: %s.", p.ID, p.Settled.Outcome),
		func(d *wire.ErrorData) { d.UserInputID, d.Settlement = p.ID.String(), p.Notice(session) })
}

func answerInvalid(p *fold.Prompt, why string) *wire.Error {
	return wire.NewError(wire.CodeUserInputAnswerInvalid, why,
		func(d *wire.ErrorData) { d.UserInputID = p.ID.String() })
}
