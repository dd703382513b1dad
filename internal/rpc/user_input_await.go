package rpc

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// userInputAwait serves userInput/await (protocol §7): it is answered when all are
// settled, or at waitMs with what is known.
func (r *request) userInputAwait() {
	var params wire.UserInputAwaitParams
	if e := r.decode(&params); e != nil {
		r.fail(e)
		return
	}
	p, e := r.awaited("userInputIds", "prompts", params.UserInputIDs, params.WaitMs)
	if e == nil {
		e = r.inSession(params.SessionID, func(_ *fold.State, session *fold.Session) *wire.Error {
			p.session = session.ID
			for _, id := range p.ids {
				if _, ok := session.Prompt(id); !ok {
					return decide.UserInputNotFound(id)
				}
			}
			return nil
		})
	}
	if e != nil {
		r.fail(e)
		return
	}
	p.known = func(session *fold.Session) any { return knownPrompts(session, p.ids) }
	r.await(p)
}

// knownPrompts is what is known of prompts, in the order asked.
func knownPrompts(session *fold.Session, ids []approval.ID) (result wire.UserInputAwaitResult) {
	for _, id := range ids {
		one := wire.UserInputAwaited{UserInputID: id.String(), State: wire.UserInputPending}
		if p, ok := session.Prompt(id); ok && !p.Pending() {
			one.State, one.Settlement = wire.UserInputSettled, p.Settlement()
		}
		result.Results = append(result.Results, one)
	}
	return result
}
