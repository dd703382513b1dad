package fold

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/record"
)

// Reader reads a record that a state was folded from. A record never changes, so
// neither does what a Reader says of it.
type Reader func(seq uint64) (record.Record, error)

// Full is a pending approval with what its records say of it.
type Full struct {
	*Approval
	*Said
}

// Said is what the records of a pending approval say of it at length: some
// kilobytes as a rule, megabytes at most, and held in memory only as long as
// its holder likes (State.LetGo). It must not be changed.
type Said struct {
	Request *record.ApprovalOpened
	Stages  []approval.StageResolution // as they stand; nil for a subject without stages
	Menu    json.RawMessage            // as published
	Policy  json.RawMessage            // why it is asked, as published
}

func saidIn(r *record.ApprovalOpened) *Said {
	return &Said{Request: r, Stages: stagesFrom(r.Stages), Menu: r.Menu, Policy: r.Policy}
}

// staged is what is said once a stage is settled.
func (s Said) staged(body *record.StageSettled) *Said {
	s.Stages, s.Menu = stagesFrom(body.Stages), body.Menu
	if body.Asks && body.Policy != nil {
		s.Policy = body.Policy
	}
	return &s
}

// Full is the approval, which must be pending, with what its records say of it:
// what memory has let go of is read again.
func (a *Approval) Full(read Reader) (Full, error) {
	if a.said != nil {
		return Full{a, a.said}, nil
	}
	opening, err := bodyAt[*record.ApprovalOpened](read, a.Opened)
	if err != nil {
		return Full{}, err
	}
	said := saidIn(opening)
	seqs := []uint64{a.Asked.Seq(), a.staged} // who asked last says why, and the last stage what is left
	for _, seq := range slices.Compact(seqs) {
		if seq == 0 || seq == a.Opened {
			continue
		}
		stage, err := bodyAt[*record.StageSettled](read, seq)
		if err != nil {
			return Full{}, err
		}
		said = said.staged(stage)
	}
	return Full{a, said}, nil
}

func bodyAt[B record.Body](read Reader, seq uint64) (body B, err error) {
	r, err := read(seq)
	if err != nil {
		return body, err
	}
	body, ok := r.Body.(B)
	if !ok {
		return body, fmt.Errorf("record %d is a %s and not a %s", seq, r.Body.Kind(), body.Kind())
	}
	return body, nil
}

// LetGo drops what the records of a pending approval say of it at length: Full
// reads it again. It must not be called while there is an overlay.
func (s *State) LetGo(session, id approval.ID) {
	in, ok := s.sessions.get(session)
	if !ok || in.details == nil {
		return
	}
	if old, pending := in.details.pending.get(id); pending {
		a := *old
		a.said = nil
		in.details.approvals.put(id, &a)
		in.details.pending.put(id, &a)
	}
}

// Subject is what the approval is about, with Stages as its resolutions. It is
// decoded on each call: most approvals are settled without it.
func (s *Said) Subject() approval.Subject {
	subject, err := approval.DecodeSubject(s.Request.Subject)
	if err != nil {
		return approval.Unknown{Raw: s.Request.Subject} // never allowed unasked
	}
	return approval.WithResolutions(subject, s.Stages)
}

// ActionOf is what an opening record was about, with its stages as it had them.
func ActionOf(r *record.ApprovalOpened) approval.Action { return saidIn(r).Action() }

// Action is what the approval is about, as recovery opens it again.
func (s *Said) Action() approval.Action {
	r := s.Request
	return approval.Action{
		ToolCallID:       r.ToolCallID,
		ToolName:         r.ToolName,
		RawArgs:          r.RawArgs,
		ArgsDigest:       r.ArgsDigest,
		Reason:           r.Reason,
		Justification:    justification(r), // a successor's own policy stands in for what was not given
		Operation:        r.Operation,
		TurnID:           r.TurnID,
		TaskID:           r.TaskID,
		ItemID:           r.ItemID,
		ParentToolCallID: r.ParentToolCallID,
		RunID:            r.RunID,
		Catalog:          r.CatalogID,
		Requested:        r.Requested,
		Subject:          s.Subject(),
		Found:            foundIn(r),
	}
}

// foundIn is what inspection learned. What cannot be read is nothing: then no
// allow rule matches.
func foundIn(r *record.ApprovalOpened) (f approval.Found) {
	if len(r.Found) > 0 && json.Unmarshal(r.Found, &f) != nil {
		return approval.Found{}
	}
	return f
}
