package audit

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/recovery"
	"github.com/approvald/approvald/wire"
)

// getter reads a record by its sequence.
type getter interface {
	Get(seq uint64) ([]byte, error)
}

// builder makes lines of records.
type builder struct {
	log     getter
	openers [256]opener // of the last approvals, by their sequences
}

// opener is an opening record, and what lines say of it.
type opener struct {
	seq      uint64
	approval approval.ID
	body     *record.ApprovalOpened
	kind     string
	subject  string
	path     string
}

// keptBytes is the length up to which an opening record is kept: most approvals
// are settled soon, and few are large.
const keptBytes = 16 << 10

// line is the line of a record; nil where the filter does not want it.
func (b *builder) line(seq uint64, h record.Header, value []byte, f Filter) (*Line, error) {
	if !f.mayMatch(h) {
		return nil, nil
	}
	r, err := record.DecodeBody(seq, h, value)
	if err != nil {
		return nil, &recovery.RecordError{Seq: seq, Kind: h.Kind, Err: err}
	}
	l := ownLine(r)
	if !f.own(l) {
		return nil, nil
	}
	switch {
	case aboutPrompt(r.Kind):
		if err := b.addQuestions(l, r); err != nil {
			return nil, err
		}
	case l.Opened != 0:
		o, err := b.opener(l.Opened, r, value)
		if err != nil {
			return nil, err
		}
		l.addOpening(o)
	}
	if !f.Match(l) {
		return nil, nil
	}
	return l, nil
}

// opener is the record that opened the approval which a record is about: itself,
// or one before it.
func (b *builder) opener(seq uint64, of record.Record, own []byte) (o opener, err error) {
	if kept := b.openers[seq%uint64(len(b.openers))]; kept.seq == seq && kept.approval == of.Approval && seq < of.Seq {
		return kept, nil
	}
	r, value := of, own
	if seq != of.Seq {
		if value, err = b.log.Get(seq); err != nil {
			return o, err
		}
		if r, err = record.Decode(seq, value); err != nil {
			return o, &recovery.RecordError{Seq: seq, Err: err}
		}
	}
	body, ok := r.Body.(*record.ApprovalOpened)
	if !ok || seq > of.Seq || r.Approval != of.Approval {
		return o, &recovery.RecordError{Seq: of.Seq, Kind: of.Kind, Err: fmt.Errorf(
			"record %d (%s) names record %d as the one that opened its approval, which it is not", of.Seq, of.Kind, seq)}
	}
	o = opener{seq: seq, approval: r.Approval, body: body}
	o.kind, _ = wire.KindOf(body.Subject) // "" where it has none
	o.subject, o.path = card.SubjectLine(body.Subject)
	if len(value) <= keptBytes {
		b.openers[seq%uint64(len(b.openers))] = o
	}
	return o, nil
}

// ownLine is what a record says by itself.
func ownLine(r record.Record) *Line {
	l := &Line{
		Seq: r.Seq, At: string(wire.FormatTime(r.At)), at: r.At, Event: eventsOf[r.Kind][0],
		SessionID: textOf(r.Session), ApprovalID: textOf(r.Approval), CommandID: r.Command.String(),
	}
	switch body := r.Body.(type) {
	case *record.ApprovalOpened:
		l.Opened, l.By = r.Seq, party(body.By)
	case *record.StageSettled:
		l.stageSettled(body)
	case *record.ApprovalSettled:
		l.settled(body)
	case *record.ApprovalConsumed:
		l.Opened, l.By = body.Opened, party(body.By)
	case *record.PermitVoided:
		l.Opened, l.Why, l.By = body.Opened, body.Reason, partyOf(body.By)
	case *record.GrantAdded:
		l.GrantID, l.Scope, l.RulePreview = textOf(body.GrantID), body.Scope, body.RulePreview
		l.WorkspaceRoot, l.By = body.Root, party(body.By)
	case *record.GrantRevoked:
		l.GrantID, l.By = textOf(body.GrantID), party(body.By)
	case *record.PolicyPersisted:
		l.Opened, l.GrantID, l.Status, l.Why = body.Opened, textOf(body.GrantID), body.Status, body.Reason
	case *record.ModeSet:
		l.Mode, l.Source, l.By = body.Mode, body.Source, party(body.By)
	case *record.SessionStarted:
		l.Mode, l.Preset, l.WorkspaceRoot, l.Name = body.Mode, body.Preset, body.WorkspaceRoot, body.Name
		l.ParentSessionID, l.By = textOf(body.Parent), party(body.By)
	case *record.SessionClosed:
		l.Why, l.By = body.Reason, party(body.By)
	case *record.InputOpened, *record.InputEngaged, *record.InputSettled:
		l.prompt(r)
	case *record.Recovered:
		l.Pending = &body.Pending
	case *record.CatalogOpened, *record.CatalogChanged, *record.CatalogClosed:
		l.catalog(body)
	case *record.TurnStarted, *record.TurnEnded:
		l.turn(r)
	case *record.CommandSettled:
		l.By, l.Event = party(body.By), Unchanged
		if body.Command != nil && len(body.Command.Refusal) > 0 {
			l.Event, l.Refusal = Refused, body.Command.Refusal
		}
	}
	return l
}

func (l *Line) stageSettled(body *record.StageSettled) {
	l.Opened, l.Requirement, l.ChoiceID, l.Decision = body.Opened, &body.Stage, body.ChoiceID, body.Decision
	l.Stages, l.By = stages(body.Stages), partyOf(body.By)
	if body.Asks {
		l.Shown = &Shown{Requirement: body.Next, Menu: body.Menu, Policy: body.Policy}
	}
}

func (l *Line) settled(body *record.ApprovalSettled) {
	l.Opened, l.Outcome, l.Decision, l.PolicyResult = body.Opened, body.Outcome, body.Decision, body.PolicyResult
	l.ResolvedBy, l.Source, l.Rule, l.Why = body.ResolvedBy, body.Source, body.Rule, body.Reason
	l.ChoiceID, l.Feedback, l.Stages, l.By = body.ChoiceID, body.Feedback, stages(body.Stages), partyOf(body.By)
	if a := body.Amendment; a != nil {
		l.Amendment = &Amendment{a.Durability, a.RulePreview}
	}
	if body.Successor != nil {
		l.Successor = textOf(*body.Successor)
	}
	if l.Source == string(wire.SourceSessionGrant) {
		l.GrantID = grantOf(body.Stages)
	}
}

// grantOf is the session grant that covered a command: the parts of the command
// name it. "" for what is no command.
func grantOf(stages []record.Stage) string {
	for _, s := range stages {
		if text, ok := strings.CutPrefix(s.Diagnostic, "session grant "); ok {
			if id, err := approval.ParseID(text); err == nil {
				return textOf(id)
			}
		}
	}
	return ""
}

// addOpening adds what the opening record says of the approval: to its own line
// and to that of its end everything that was shown.
func (l *Line) addOpening(from opener) {
	o := from.body
	l.ToolCallID, l.ToolName, l.Reason, l.Justification = o.ToolCallID, o.ToolName, o.Reason, o.Justification
	l.Kind, l.Subject, l.Path = from.kind, from.subject, from.path
	switch l.Event {
	case Opened:
		l.addCall(o)
	case Settled:
		l.settledAtOnce(o)
	default:
		if l.Shown != nil && l.Shown.Policy == nil {
			l.Shown.Policy = o.Policy // why is as it was
		}
		return
	}
	l.Shown = &Shown{
		Subject: o.Subject, SubjectDigest: o.SubjectDigest, RawArgs: o.RawArgs, ArgsDigest: o.ArgsDigest,
		Operation: o.Operation, Diff: o.Diff, Requirement: o.Requirement, Menu: o.Menu, Policy: o.Policy,
		ProtectedWrite: o.Protected, PermissionMode: o.PermissionMode,
	}
	if o.ExpiresAt != nil {
		l.Shown.ExpiresAt = string(wire.FormatTime(time.UnixMilli(*o.ExpiresAt)))
	}
}

// addCall adds to the line of an opening which call it is about.
func (l *Line) addCall(o *record.ApprovalOpened) {
	l.Call = &Call{o.TurnID, o.TaskID, o.ItemID, o.ParentToolCallID, o.RunID, textOf(o.CatalogID), o.Unattended}
	l.Stages = stages(o.Stages)
	if o.Supersedes != nil {
		l.Supersedes = textOf(*o.Supersedes)
	}
}

// settledAtOnce says why, where nobody was asked and the terminal record does
// not: the opening record has policy's answer.
func (l *Line) settledAtOnce(o *record.ApprovalOpened) {
	var policy wire.PolicyAnswer
	if err := json.Unmarshal(o.Policy, &policy); err != nil || l.Source != string(policy.Source) || string(o.Menu) != "[]" {
		return
	}
	if l.Why == "" {
		l.Why = policy.Explanation
	}
	if l.Rule == "" {
		l.Rule = policy.Rule
	}
}

func textOf(id approval.ID) string {
	if id.IsZero() {
		return ""
	}
	return id.String()
}

func partyOf(p *record.Party) *Party {
	if p == nil {
		return nil
	}
	return party(*p)
}

func party(p record.Party) *Party {
	if p == (record.Party{}) {
		return nil
	}
	return (*Party)(&p)
}

func stages(from []record.Stage) []Stage {
	out := make([]Stage, len(from))
	for i, s := range from {
		out[i] = Stage(s)
	}
	return out
}
