package fold

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/record"
)

// Outline folds a log into a State of which no session is loaded, from the
// headers of most records: bodies are decoded when a session is loaded
// (design §5). It is what a start reads, and says of every session what Apply
// of the same records says in its exported fields. The zero value is at the
// beginning of a log.
type Outline struct {
	state   State
	waiting map[approval.ID]struct{} // the approvals and prompts that are pending so far
	last    *Session                 // of the last record: the next is likely to be of it too
}

// NeedsBody reports whether a record must be given to Apply. Others may be, and
// only their header is looked at.
func (o *Outline) NeedsBody(h record.Header) bool {
	return h.Session.IsZero() || outlining[h.Kind]
}

// outlining are the kinds whose bodies say what an outline does.
var outlining = map[record.Kind]bool{
	record.KindSessionStarted: true, record.KindSessionClosed: true, record.KindModeSet: true,
	record.KindGrantAdded: true, record.KindGrantRevoked: true, record.KindPolicyPersisted: true,
	record.KindCatalogChanged: true, record.KindCatalogClosed: true,
}

// Apply moves the outline by a record, which must be the next one.
func (o *Outline) Apply(r record.Record) {
	if !o.NeedsBody(r.Header) {
		o.Skim(r.Seq, r.Header)
		return
	}
	o.state.Apply(r)
	if r.Kind == record.KindSessionStarted {
		o.state.Unload(r.Session)
	}
}

// Skim moves the outline by the header of a record that needs no body, and which
// must be the next one.
func (o *Outline) Skim(seq uint64, h record.Header) {
	o.state.head = seq
	if o.last == nil || o.last.ID != h.Session {
		session, ok := o.state.touch(h.Session)
		if !ok {
			return
		}
		o.last = session
	}
	o.last.Last, o.last.UpdatedAt = seq, h.At
	o.state.noteOpenTurn(o.last, h.Kind, h.Approval)
	_, pending := o.waiting[h.Approval]
	opened := openedBy(h.Kind)
	switch more := opened.Approvals + opened.Prompts; {
	case more > 0:
		if o.waiting == nil {
			o.waiting = make(map[approval.ID]struct{})
		}
		o.waiting[h.Approval] = struct{}{}
		o.state.count(o.last, opened)
	case more < 0 && pending:
		delete(o.waiting, h.Approval)
		o.state.count(o.last, opened)
	}
}

// State is what the records so far make. The outline must not be used any more.
func (o *Outline) State() *State {
	o.waiting = nil // the state holds on to what it is part of
	return &o.state
}

// Load gives a session its details, made of every record of it so far. It
// reports whether they are: a record may have come while they were being read.
// It must not be called while there is an overlay.
func (s *State) Load(session approval.ID, d *Details) bool {
	in, ok := s.sessions.get(session)
	if !ok || in.Last != d.last {
		return false
	}
	in.details = d
	return true
}

// Unload lets go of a session's details. It must not be called while there is an
// overlay.
func (s *State) Unload(session approval.ID) {
	if in, ok := s.sessions.get(session); ok {
		in.details = nil
	}
}
