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
	var p wire.UserInputAwaitParams
	if e := r.decode(&p); e != nil {
		r.fail(e)
		return
	}
	r.await(awaited{
		session: p.SessionID, member: "userInputIds", noun: "prompts", ids: p.UserInputIDs, waitMs: p.WaitMs,
		missing: func(session *fold.Session, id approval.ID) *wire.Error {
			if _, ok := session.Prompt(id); !ok {
				return decide.UserInputNotFound(id)
			}
			return nil
		},
		known: knownPrompts,
	})
}

// knownPrompts is what is known of prompts, in the order asked.
func knownPrompts(session *fold.Session, ids []approval.ID) any {
	var result wire.UserInputAwaitResult
	for _, id := range ids {
		one := wire.UserInputAwaited{UserInputID: id.String(), State: wire.UserInputPending}
		if p, ok := session.Prompt(id); ok && !p.Pending() {
			one.State, one.Settlement = wire.UserInputSettled, p.Settlement()
		}
		result.Results = append(result.Results, one)
	}
	return result
}
