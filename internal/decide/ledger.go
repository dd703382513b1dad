package decide

import (
	"encoding/json"
	"fmt"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// replay answers a command that the ledger knows: with the bytes it was
// answered with before, or, where the payload is another one, with a conflict
// (protocol §3). known is nil for a command that is new.
func (i Intent) replay(known *record.Intake) (Result, bool) {
	switch {
	case known == nil:
		return Result{}, false
	case known.Payload != i.payloadText():
		return Result{Refusal: wire.NewError(wire.CodeCommandRejected,
			fmt.Sprintf("Command %s was used before for something else; mint a new commandId.", i.Command),
			i.rejected(wire.ReasonCommandIDConflict))}, true
	case known.Refusal == nil:
		return Result{Ack: known.Ack}, true
	}
	var refusal wire.Error
	if err := json.Unmarshal(known.Refusal, &refusal); err != nil {
		return Result{Refusal: wire.NewError(wire.CodeInternal, "internal error")}, true
	}
	return Result{Refusal: &refusal}, true
}

// rejected fills what every -32030 carries.
func (i Intent) rejected(reason wire.Reason) func(*wire.ErrorData) {
	return func(d *wire.ErrorData) { d.Reason, d.CommandID = reason, i.Command.String() }
}

// enter looks a command up in its session: the session to go on with, or the
// result that ends it here (a replay, or no such session).
func (i Intent) enter(s *fold.State, id approval.ID) (*fold.Session, *Result) {
	session, ok := s.Session(id)
	if !ok {
		return nil, &Result{Refusal: SessionNotFound(id)}
	}
	known, _ := session.Command(i.Command)
	if r, ok := i.replay(known); ok {
		return nil, &r
	}
	return session, nil
}

// refused is the result of a refusal that must be replayed unchanged. It is
// recorded, unless the session has had too many in a row.
func refused(s *fold.State, env Env, session *fold.Session, i Intent, refusal *wire.Error) Result {
	if session.Refusals() >= env.Limits.MaxRefusals {
		return Result{Refusal: tooManyRefusals(session.Refusals())}
	}
	return recordRefusal(s, env, session.ID, i, refusal)
}

func recordRefusal(s *fold.State, env Env, session approval.ID, i Intent, refusal *wire.Error) Result {
	d := newDraft(s, env, session, i.Command)
	d.add(approval.ID{}, &record.CommandSettled{
		By: i.By, Command: &record.Intake{Payload: i.payloadText(), Refusal: encode(refusal)},
	})
	return Result{Records: d.records, Refusal: refusal}
}
