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
// answered with before, which are in its record, or, where the payload is
// another one, with a conflict (protocol §3).
func (i Intent) replay(env Env, known fold.Entry) Result {
	if known.Payload != i.Payload {
		return Result{Refusal: wire.NewError(wire.CodeCommandRejected,
			fmt.Sprintf("Command %s was used before for something else; mint a new commandId.", i.Command),
			i.rejected(wire.ReasonCommandIDConflict))}
	}
	answered, err := env.Read(known.Seq)
	if err != nil {
		panic(UnreadableError{err})
	}
	intake := answered.Intake()
	if intake == nil {
		panic(UnreadableError{fmt.Errorf("record %d has no answer to command %s", known.Seq, i.Command)})
	}
	if intake.Refusal == nil {
		return Result{Ack: intake.Ack}
	}
	refusal := new(wire.Error)
	if err := json.Unmarshal(intake.Refusal, refusal); err != nil {
		panic(UnreadableError{fmt.Errorf("the refusal in record %d: %w", known.Seq, err)})
	}
	return Result{Refusal: refusal}
}

// rejected fills what every -32030 carries.
func (i Intent) rejected(reason wire.Reason) func(*wire.ErrorData) {
	return func(d *wire.ErrorData) { d.Reason, d.CommandID = reason, i.Command.String() }
}

// enter looks a command up in its session: the session to go on with, or the
// result that ends it here (a replay, or no such session).
func (i Intent) enter(s *fold.State, env Env, id approval.ID) (*fold.Session, *Result) {
	session, ok := s.Session(id)
	if !ok {
		return nil, &Result{Refusal: SessionNotFound(id)}
	}
	if known, ok := session.Command(i.Command); ok {
		replayed := i.replay(env, known)
		return nil, &replayed
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
