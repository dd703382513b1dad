package decide

import (
	"encoding/json"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// draft collects the records of one command. Each is applied to the state as
// it is added, so that the next is decided on what the ones before it made.
type draft struct {
	state   *fold.State
	env     Env
	session approval.ID
	command approval.CommandID
	records []record.Record
	// entry is the ledger's entry of the command, for the first record that
	// settles something; nil where a record brings its own. Its ack is filled in
	// when the command has been carried out.
	entry *record.Intake
	known fold.Full // what full said last
}

func newDraft(s *fold.State, env Env, session approval.ID, command approval.CommandID) *draft {
	return &draft{state: s, env: env, session: session, command: command}
}

// add appends one record about an approval (zero: about none).
func (d *draft) add(id approval.ID, body record.Body) {
	d.hand(body)
	r := record.Record{
		Seq: d.state.Head() + 1,
		Header: record.Header{
			Session: d.session, Approval: id, Command: d.command, At: d.env.Now,
		},
		Body: body,
	}
	if session, ok := d.state.Session(d.session); ok {
		r.Prev = session.Last
	}
	d.state.Apply(r)
	d.records = append(d.records, r)
}

// hand gives the entry to a record that can hold it.
func (d *draft) hand(body record.Body) {
	if d.entry == nil {
		return
	}
	switch body := body.(type) {
	case *record.StageSettled:
		body.Command, d.entry = d.entry, nil
	case *record.ApprovalSettled:
		body.Command, d.entry = d.entry, nil
	case *record.InputSettled:
		body.Command, d.entry = d.entry, nil
	}
}

// note enters the command into its session's ledger by itself, where no record
// has.
func (d *draft) note(by record.Party) {
	if entry := d.entry; entry != nil {
		d.entry = nil
		d.add(approval.ID{}, &record.CommandSettled{By: by, Command: entry})
	}
}

// in appends the records that do adds to another session of the command's
// family.
func (d *draft) in(session approval.ID, do func()) {
	own := d.session
	d.session = session
	do()
	d.session = own
}

// now is the session as the records so far have made it.
func (d *draft) now() *fold.Session {
	session, _ := d.state.Session(d.session)
	return session
}

// full is a pending approval with what its records say of it.
func (d *draft) full(a *fold.Approval) fold.Full {
	if d.known.Approval == a {
		return d.known
	}
	full, err := a.Full(d.read)
	if err != nil {
		panic(UnreadableError{err})
	}
	d.known = full
	return full
}

// read reads a record, of this command or from before it.
func (d *draft) read(seq uint64) (record.Record, error) {
	if len(d.records) > 0 && seq >= d.records[0].Seq {
		return d.records[seq-d.records[0].Seq], nil
	}
	return d.env.Read(seq)
}

// accepted is the result of a command that made records.
func (d *draft) accepted(ack json.RawMessage) Result {
	return Result{Records: d.records, Ack: ack}
}

// unchanged is the result of a command that changed nothing: it still enters
// the ledger.
func unchanged(s *fold.State, env Env, session approval.ID, i Intent, ack json.RawMessage) Result {
	d := newDraft(s, env, session, i.Command)
	d.add(approval.ID{}, &record.CommandSettled{By: i.By, Command: i.intake(ack)})
	return d.accepted(ack)
}

// encode writes an ack or another published part. The structs of wire and
// record always encode; one that does not is a fault of this program.
func encode(v any) json.RawMessage {
	b, err := wire.Marshal(v)
	if err != nil {
		panic("decide: encode " + err.Error())
	}
	return b
}
