package fold

import (
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/record"
)

// Apply moves the state by one record, which must be the next one. A record
// of a session that was never started changes nothing but the head: decide
// does not write one.
func (s *State) Apply(r record.Record) {
	s.head = r.Seq
	if r.Session.IsZero() {
		s.applyDaemonCommand(r)
		return
	}
	if body, ok := r.Body.(*record.SessionStarted); ok {
		s.applySessionStarted(r, body)
		return
	}
	session, ok := s.touch(r.Session)
	if !ok {
		return
	}
	session.Last, session.UpdatedAt = r.Seq, r.At
	s.noteOpenTurn(session, r.Body.Kind(), r.Approval)
	if opened := session.admit(r); opened != (Opened{}) {
		s.count(session, opened)
	}
	switch body := r.Body.(type) {
	case *record.ModeSet:
		session.Mode = Mode{
			Mode: approval.Mode(body.Mode), Source: approval.ModeSource(body.Source),
			Command: r.Command, Seq: r.Seq, At: r.At, By: body.By,
		}
		session.Preset = "" // whoever names a mode leaves the preset
	case *record.GrantAdded:
		s.applyGrant(session, r, body)
	case *record.GrantRevoked:
		s.applyRevoked(body)
	case *record.PolicyPersisted:
		s.applyPersisted(body)
	case *record.CatalogChanged:
		s.applyEnded(body.Grants)
	case *record.CatalogClosed:
		s.applyEnded(body.Grants)
	case *record.SessionClosed:
		session.Closed, session.CloseReason = true, body.Reason
	}
}

func (s *State) applySessionStarted(r record.Record, body *record.SessionStarted) {
	started := *body
	started.Command = nil // the ledger knows where it is
	session := &Session{
		ID: r.Session, Started: &started, CreatedAt: r.At, First: r.Seq,
		Last: r.Seq, UpdatedAt: r.At,
		Mode:    Mode{Mode: approval.Mode(body.Mode), Source: approval.ModeAtStartup, Seq: r.Seq, At: r.At, By: body.By},
		Preset:  approval.Preset(body.Preset),
		Lineage: []approval.ID{r.Session},
		details: new(Details),
	}
	if parent, ok := s.touch(body.Parent); ok {
		session.Lineage = slices.Concat(parent.Lineage, session.Lineage)
		session.Inherits = body.Inherit != InheritNone
		if body.Inherited {
			session.Mode.At, session.Mode.By = parent.Mode.At, parent.Mode.By
		}
		parent.ChildSessions = append(slices.Clip(parent.ChildSessions), r.Session)
	}
	session.details.Apply(r)
	s.sessions.put(r.Session, session)
	if body.Command != nil {
		s.starts.put(r.Command, entryOf(r.Seq, body.Command))
		s.startRefusals = 0
	}
}

// admit gives a record to the details, and returns how much more is pending by
// it. Without them the record is believed: decide settles nothing that is not
// pending.
func (s *Session) admit(r record.Record) Opened {
	if s.details != nil {
		return s.details.Apply(r)
	}
	return openedBy(r.Body.Kind())
}

// openedBy is how much more is pending by a record of that kind.
func openedBy(k record.Kind) Opened {
	switch k {
	case record.KindApprovalOpened:
		return Opened{Approvals: +1}
	case record.KindApprovalSettled:
		return Opened{Approvals: -1}
	case record.KindInputOpened:
		return Opened{Prompts: +1}
	case record.KindInputSettled:
		return Opened{Prompts: -1}
	default:
		return Opened{}
	}
}

// count notes that so much of session more is pending, and what its ancestors know
// of it.
func (s *State) count(session *Session, more Opened) {
	session.Pending += more.Approvals
	session.Prompts += more.Prompts
	for _, id := range session.Lineage[:len(session.Lineage)-1] {
		if above, ok := s.touch(id); ok {
			above.Below += more.Approvals
			above.PromptsBelow += more.Prompts
		}
	}
}

// applyDaemonCommand enters a refused session/start into the ledger: it has no
// session that could hold it.
func (s *State) applyDaemonCommand(r record.Record) {
	if intake := r.Intake(); intake != nil {
		s.starts.put(r.Command, entryOf(r.Seq, intake))
		s.startRefusals++
	}
}
