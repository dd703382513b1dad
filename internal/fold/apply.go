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
	session.note(r)
	if intake := r.Intake(); intake != nil {
		session.admit(r.Command, intake)
	}
	switch body := r.Body.(type) {
	case *record.ModeSet:
		session.Mode = Mode{
			Mode: approval.Mode(body.Mode), Source: approval.ModeSource(body.Source),
			Command: r.Command, Seq: r.Seq, At: r.At, By: body.By,
		}
		session.Preset = "" // whoever names a mode leaves the preset
	case *record.ApprovalOpened:
		session.applyOpened(r, body)
		s.noteBelow(session, +1)
	case *record.StageSettled:
		session.applyStage(r, body)
	case *record.ApprovalSettled:
		if session.applySettled(r, body) {
			s.noteBelow(session, -1)
		}
	case *record.ApprovalConsumed:
		session.applyClaimed(r.Approval, func(a *Approval) { a.ConsumedBy = r.Command })
	case *record.PermitVoided:
		session.applyClaimed(r.Approval, func(a *Approval) { a.Voided = body.Reason })
	case *record.GrantAdded:
		s.applyGrant(session, r, body)
	case *record.GrantRevoked:
		s.applyRevoked(body)
	case *record.PolicyPersisted:
		s.applyPersisted(body)
	case *record.SessionClosed:
		session.Closed, session.CloseReason = true, body.Reason
		session.claims = layer[approval.ID, *Approval]{} // nobody can take them any more
	}
}

func (s *State) applySessionStarted(r record.Record, body *record.SessionStarted) {
	session := &Session{
		ID: r.Session, Started: body, CreatedAt: r.At, First: r.Seq,
		Mode:    Mode{Mode: approval.Mode(body.Mode), Source: approval.ModeAtStartup, Seq: r.Seq, At: r.At, By: body.By},
		Preset:  approval.Preset(body.Preset),
		Lineage: []approval.ID{r.Session},
	}
	if parent, ok := s.touch(body.Parent); ok {
		session.Lineage = slices.Concat(parent.Lineage, session.Lineage)
		session.Inherits = body.Inherit != InheritNone
		if body.Inherited {
			session.Mode.At, session.Mode.By = parent.Mode.At, parent.Mode.By
		}
		parent.ChildSessions = append(slices.Clip(parent.ChildSessions), r.Session)
	}
	session.note(r)
	s.sessions.put(r.Session, session)
	if body.Command != nil {
		s.starts.put(r.Command, body.Command)
		s.startRefusals = 0
	}
}

// applyDaemonCommand enters a refused session/start into the ledger: it has no
// session that could hold it.
func (s *State) applyDaemonCommand(r record.Record) {
	if intake := r.Intake(); intake != nil {
		s.starts.put(r.Command, intake)
		s.startRefusals++
	}
}

// note keeps what every record of a session changes.
func (s *Session) note(r record.Record) {
	s.Last, s.UpdatedAt = r.Seq, r.At
	s.Head = CursorAt(r.Seq, max(0, EventCount(r)-1))
	s.records = append(s.records, r.Seq)
}

// admit enters a command into the ledger.
func (s *Session) admit(id approval.CommandID, intake *record.Intake) {
	s.commands.put(id, intake)
	if intake.Refusal != nil {
		s.Refusals++
	} else {
		s.Refusals = 0
	}
}

func (s *Session) applyOpened(r record.Record, body *record.ApprovalOpened) {
	a := &Approval{
		ID: r.Approval, Opened: r.Seq, OpenedAt: r.At,
		ToolCallID: body.ToolCallID, ToolName: body.ToolName,
		Request: body, Stages: stagesFrom(body.Stages),
		Requirement: body.Requirement, Menu: body.Menu, Asked: CursorAt(r.Seq, 0),
	}
	s.approvals.put(a.ID, a)
	s.pending.put(a.ID, a)
	s.Pending++
	s.noteCall(body)
}

func (s *Session) applyStage(r record.Record, body *record.StageSettled) {
	old, ok := s.pending.get(r.Approval)
	if !ok {
		return
	}
	a := *old
	a.Stages = stagesFrom(body.Stages)
	a.Requirement, a.Menu = body.Next, body.Menu
	if body.Asks {
		a.Asked = CursorAt(r.Seq, 1)
		if body.Policy != nil {
			a.Policy = body.Policy
		}
	}
	s.approvals.put(a.ID, &a)
	s.pending.put(a.ID, &a)
}

// applySettled reports whether the approval was pending until now.
func (s *Session) applySettled(r record.Record, body *record.ApprovalSettled) bool {
	old, ok := s.pending.get(r.Approval)
	if !ok {
		return false // a terminal state never changes (invariant 3)
	}
	a := &Approval{
		ID: old.ID, Opened: old.Opened, OpenedAt: old.OpenedAt,
		ToolCallID: old.ToolCallID, ToolName: old.ToolName,
		Requirement: old.Requirement, Settled: body, SettledAt: r.At, SettledSeq: r.Seq, SettledBy: r.Command,
	}
	if approval.Outcome(body.Outcome) != approval.Superseded {
		a.Claim = &Claim{
			ArgsDigest: old.Request.ArgsDigest, SubjectDigest: old.Request.SubjectDigest,
			Turn: old.Request.TurnID, Parent: old.Request.ParentToolCallID, Protected: old.Request.Protected,
		}
		s.claims.put(a.ID, a)
	}
	s.approvals.put(a.ID, a)
	s.pending.drop(r.Approval)
	s.Pending--
	return true
}

// applyClaimed takes the claim of a settled approval away, for the reason that
// note writes down.
func (s *Session) applyClaimed(id approval.ID, note func(*Approval)) {
	old, ok := s.claims.get(id)
	if !ok {
		return // a claim is taken at most once (invariant 9)
	}
	a := *old
	note(&a)
	s.approvals.put(id, &a)
	s.claims.drop(id)
}

// stagesFrom reads the resolutions of stages as a record keeps them.
func stagesFrom(stages []record.Stage) []approval.StageResolution {
	if stages == nil {
		return nil
	}
	out := make([]approval.StageResolution, len(stages))
	for i, stage := range stages {
		out[i] = approval.StageResolution{
			Kind: approval.StageState(stage.Kind), Diagnostic: stage.Diagnostic, ArgvPrefix: stage.ArgvPrefix,
		}
	}
	return out
}
