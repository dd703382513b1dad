package fold

import (
	"encoding/json"
	"time"

	strict "github.com/go-json-experiment/json" // half the time of encoding/json

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// Event is one view event: what subscribers see of a record (protocol §5).
type Event struct {
	Cursor  Cursor
	Session approval.ID
	At      time.Time
	Method  string
	Params  any // a pointer to the params struct of wire for Method
	// Asks names the requirement that the event puts to reviewers, or, with source
	// index 0, the prompt; zero for every event but approval/requested and
	// userInput/requested.
	Asks approval.RequirementID
}

// EventCount is how many events Events would give, from the record alone.
func EventCount(r record.Record) int {
	switch body := r.Body.(type) {
	case *record.ApprovalOpened, *record.ModeSet, *record.SessionClosed, *record.PolicyPersisted, *record.TurnStarted, *record.TurnEnded,
		*record.InputOpened, *record.InputSettled:
		return 1
	case *record.StageSettled:
		if body.Asks {
			return 2
		}
		return 1
	case *record.ApprovalSettled:
		if body.Recovery != nil {
			return 2
		}
		return 1
	}
	return 0
}

// HeadAt is the head of a session whose last record is r: the cursor of its last
// event, or, where it has none, the place for one.
func HeadAt(r record.Record) Cursor { return CursorAt(r.Seq, max(0, EventCount(r)-1)) }

// OpeningOf is the sequence of the opening record that the events of r are
// drawn from besides r itself; 0 where r is enough.
func OpeningOf(r record.Record) uint64 {
	switch body := r.Body.(type) {
	case *record.StageSettled:
		return body.Opened
	case *record.ApprovalSettled:
		return body.Opened
	case *record.PolicyPersisted:
		return body.Opened
	}
	return 0
}

// Events are the view events of r, in order: a function of r, of the record at
// OpeningOf(r), and of the lineage of its session, which never changes; so they
// are the same live, in a page and after a restart. opening is ignored where
// OpeningOf is 0.
func Events(r, opening record.Record, lineage []approval.ID) []Event {
	switch body := r.Body.(type) {
	case *record.ModeSet:
		return []Event{event(r, 0, wire.MethodSessionApprovalModeChanged, modeChanged(r, body, lineage))}
	case *record.SessionClosed:
		return []Event{event(r, 0, wire.MethodSessionClosed, sessionClosed(r, body, lineage))}
	case *record.TurnStarted:
		return []Event{event(r, 0, wire.MethodTurnStarted, turnStarted(r, body, lineage))}
	case *record.TurnEnded:
		return []Event{event(r, 0, wire.MethodTurnCompleted, turnCompleted(r, body, lineage))}
	case *record.ApprovalOpened:
		return []Event{requested(r, 0, lineage, asked{
			opening: r, body: body, subject: body.Subject, requirement: body.Requirement, menu: body.Menu, policy: body.Policy,
		})}
	case *record.InputOpened:
		return []Event{promptRequested(r, body, lineage)}
	case *record.InputSettled:
		return []Event{promptSettled(r, body, lineage)}
	}
	opened, ok := opening.Body.(*record.ApprovalOpened)
	if !ok {
		return nil
	}
	switch body := r.Body.(type) {
	case *record.StageSettled:
		return stageEvents(r, body, opening, opened, lineage)
	case *record.ApprovalSettled:
		return settledEvents(r, body, opened, lineage)
	case *record.PolicyPersisted:
		return []Event{event(r, 0, wire.MethodApprovalUpdated, persisted(r, body, opened, lineage))}
	}
	return nil
}

func event(r record.Record, index int, method string, params any) Event {
	return Event{Cursor: CursorAt(r.Seq, index), Session: r.Session, At: r.At, Method: method, Params: params}
}

func modeChanged(r record.Record, body *record.ModeSet, lineage []approval.ID) *wire.SessionApprovalModeChanged {
	return &wire.SessionApprovalModeChanged{
		SessionID:   r.Session.String(),
		ViewCursor:  CursorAt(r.Seq, 0).Text(r.Session),
		SourceRange: sourceRange(r.Session, r.Seq),
		Mode:        wire.Mode(body.Mode),
		Source:      wire.ModeSource(body.Source),
		CommandID:   r.Command.String(),
		ClientName:  body.By.Client,

		SubagentOrigin: Origin(lineage),
	}
}

func sessionClosed(r record.Record, body *record.SessionClosed, lineage []approval.ID) *wire.SessionClosed {
	cursor, from := CursorAt(r.Seq, 0).Text(r.Session), sourceRange(r.Session, r.Seq)
	return &wire.SessionClosed{
		SessionID: r.Session.String(), ViewCursor: &cursor, SourceRange: &from,
		Reason: wire.CloseReason(body.Reason), SubagentOrigin: Origin(lineage),
	}
}

func stageEvents(
	r record.Record, body *record.StageSettled, opening record.Record, opened *record.ApprovalOpened, lineage []approval.ID,
) []Event {
	subject := withStages(opened.Subject, body.Stages)
	settled := requirement(r.Approval, body.Stage)
	events := []Event{event(r, 0, wire.MethodApprovalUpdated, &wire.ApprovalUpdated{
		SessionID:            r.Session.String(),
		ViewCursor:           CursorAt(r.Seq, 0).Text(r.Session),
		SourceRange:          sourceRange(r.Session, r.Seq),
		ApprovalID:           r.Approval.String(),
		SubagentOrigin:       Origin(lineage),
		Subject:              subject,
		CurrentRequirementID: requirement(r.Approval, body.Next),
		AvailableChoices:     choices(body.Menu),
		Change: wire.Change{
			Kind: wire.ChangeStageResolved, RequirementID: &settled,
			ChoiceID: wire.ChoiceID(body.ChoiceID), Decision: wire.Decision(body.Decision),
		},
	})}
	if body.Asks {
		policy := body.Policy
		if policy == nil {
			policy = opened.Policy
		}
		events = append(events, requested(r, 1, lineage, asked{
			opening: opening, body: opened, subject: subject, requirement: body.Next, menu: body.Menu, policy: policy,
		}))
	}
	return events
}

// persisted says what became of the rule that a decision on the approval wrote.
func persisted(
	r record.Record, body *record.PolicyPersisted, opened *record.ApprovalOpened, lineage []approval.ID,
) *wire.ApprovalUpdated {
	return &wire.ApprovalUpdated{
		SessionID:            r.Session.String(),
		ViewCursor:           CursorAt(r.Seq, 0).Text(r.Session),
		SourceRange:          sourceRange(r.Session, r.Seq),
		ApprovalID:           r.Approval.String(),
		SubagentOrigin:       Origin(lineage),
		Subject:              withStages(opened.Subject, body.Stages),
		CurrentRequirementID: requirement(r.Approval, body.Next),
		AvailableChoices:     choices(body.Menu),
		Change: wire.Change{
			Kind: wire.ChangePolicyPersistence, Status: wire.PersistenceStatus(body.Status), Reason: body.Reason,
		},
	}
}

func settledEvents(
	r record.Record, body *record.ApprovalSettled, opened *record.ApprovalOpened, lineage []approval.ID,
) []Event {
	subject := withStages(opened.Subject, body.Stages)
	resolved := &wire.ApprovalResolved{
		SessionID:     r.Session.String(),
		ViewCursor:    CursorAt(r.Seq, 0).Text(r.Session),
		SourceRange:   sourceRange(r.Session, r.Seq),
		ApprovalID:    r.Approval.String(),
		ItemID:        opened.ItemID,
		TurnID:        opened.TurnID,
		ToolCallID:    opened.ToolCallID,
		Decision:      wire.Decision(body.Decision),
		PolicyResult:  wire.PolicyResult(body.PolicyResult),
		ResolvedBy:    wire.ResolvedBy(body.ResolvedBy),
		StageEvidence: evidence(subject),
		DecidedAt:     wire.FormatTime(r.At),
		Outcome:       wire.Outcome(body.Outcome),
		Source:        wire.Source(body.Source),

		SubagentOrigin: Origin(lineage),
	}
	if body.Amendment != nil {
		resolved.Amendment = &wire.Amendment{
			Durability: wire.Scope(body.Amendment.Durability), RulePreview: body.Amendment.RulePreview,
		}
	}
	if body.By != nil { // a person decided; policy's own settlements name no command
		resolved.DecidedByCommandID = r.Command.String()
	}
	if body.Successor != nil {
		resolved.SuccessorApprovalID = body.Successor.String()
	}
	events := []Event{event(r, 0, wire.MethodApprovalResolved, resolved)}
	if body.Recovery != nil {
		events = append(events, event(r, 1, wire.MethodApprovalUpdated, &wire.ApprovalUpdated{
			SessionID:            r.Session.String(),
			ViewCursor:           CursorAt(r.Seq, 1).Text(r.Session),
			SourceRange:          sourceRange(r.Session, r.Seq),
			ApprovalID:           r.Approval.String(),
			SubagentOrigin:       Origin(lineage),
			Subject:              subject,
			CurrentRequirementID: requirement(r.Approval, current(body.Stages, opened)),
			Change: wire.Change{
				Kind:     wire.ChangeRestartRecovered,
				Reparsed: &body.Recovery.Reparsed, Executable: &body.Recovery.Executable,
			},
		}))
	}
	return events
}

// current is the requirement that a decision would have had to name when the
// approval ended: the first stage that was open.
func current(stages []record.Stage, opened *record.ApprovalOpened) int {
	for i, stage := range stagesFrom(stages) {
		if stage.Open() {
			return i
		}
	}
	return opened.Requirement
}

// withStages is the published subject with the resolutions of its stages
// replaced. A subject without stages keeps its bytes.
func withStages(subject json.RawMessage, stages []record.Stage) json.RawMessage {
	if stages == nil {
		return subject
	}
	decoded, err := approval.DecodeSubject(subject)
	if err != nil {
		return subject
	}
	encoded, err := approval.EncodeSubject(approval.WithResolutions(decoded, stagesFrom(stages)))
	if err != nil {
		return subject
	}
	return encoded
}

// evidence is what approval/resolved says of each stage; none for a subject
// without stages.
func evidence(subject json.RawMessage) []wire.StageEvidence {
	decoded, err := wire.DecodeSubject(subject)
	if err != nil {
		return nil
	}
	sh, ok := decoded.(*wire.ShellSubject)
	if !ok {
		return nil
	}
	out := make([]wire.StageEvidence, len(sh.Stages))
	for i, s := range sh.Stages {
		out[i] = wire.StageEvidence{
			RequirementID: s.RequirementID, Position: s.Position, TotalStages: s.TotalStages,
			Argv: s.Argv, Resolution: s.Resolution,
		}
	}
	return out
}

func sourceRange(session approval.ID, seq uint64) wire.SourceRange {
	at := wire.Position{ID: session.String() + ":" + uintText(seq), Sequence: seq}
	return wire.SourceRange{
		Stream: wire.Stream{Kind: wire.StreamSession, ID: session.String()}, First: at, Last: at,
	}
}

func requirement(id approval.ID, index int) wire.RequirementID {
	return wire.RequirementID{ApprovalID: id.String(), SourceIndex: index}
}

// choices decodes a menu that a record keeps as published.
func choices(menu json.RawMessage) []wire.Choice {
	var out []wire.Choice
	if err := strict.Unmarshal(menu, &out); err != nil {
		return nil // decide wrote it; a menu that cannot be read offers nothing
	}
	return out
}
