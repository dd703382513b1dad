package fold

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/record"
)

// Details are what the records of one session say beyond its outline: its
// approvals, its prompts, its ledger and its calls. The zero value is that of a session
// without a record.
type Details struct {
	approvals layer[approval.ID, *Approval]
	pending   layer[approval.ID, *Approval]
	claims    layer[approval.ID, *Approval] // settled, and neither consumed nor voided
	prompts   layer[approval.ID, *Prompt]
	waiting   layer[approval.ID, *Prompt] // pending prompts
	commands  layer[approval.CommandID, Entry]
	calls     layer[string, call]
	children  layer[string, int]
	runs      layer[runCall, span]
	places    layer[place, approval.ID]
	catalogs  layer[approval.ID, *Catalog]
	turns     layer[string, turn]
	open      *OpenTurn // immutable; nil: none
	refusals  int       // recorded since the last accepted command
	head      Cursor    // of the last event, or place for one, of the last record
	records   []uint64  // every record of the session, ascending; the view's only
	last      uint64    // the last record
}

// Last is the sequence of the last record that was applied; 0 for none.
func (d *Details) Last() uint64 { return d.last }

func (d *Details) over() *Details {
	return &Details{
		approvals: d.approvals.over(),
		pending:   d.pending.over(),
		claims:    d.claims.over(),
		prompts:   d.prompts.over(),
		waiting:   d.waiting.over(),
		commands:  d.commands.over(),
		calls:     d.calls.over(),
		children:  d.children.over(),
		runs:      d.runs.over(),
		places:    d.places.over(),
		catalogs:  d.catalogs.over(),
		turns:     d.turns.over(),
		open:      d.open,
		refusals:  d.refusals,
		head:      d.head,
		last:      d.last,
	}
}

// Opened is how many approvals and prompts more are pending by a record.
type Opened struct{ Approvals, Prompts int }

// Apply moves the details by the next record of their session.
func (d *Details) Apply(r record.Record) Opened {
	d.last = r.Seq
	d.head = HeadAt(r)
	d.records = append(d.records, r.Seq)
	if intake := r.Intake(); intake != nil && r.Body.Kind() != record.KindSessionStarted {
		d.admit(r, intake)
	}
	switch body := r.Body.(type) {
	case *record.ApprovalOpened:
		d.applyOpened(r, body)
		return Opened{Approvals: +1}
	case *record.StageSettled:
		d.applyStage(r, body)
	case *record.ApprovalSettled:
		if d.applySettled(r, body) {
			return Opened{Approvals: -1}
		}
	case *record.InputOpened:
		d.applyInputOpened(r, body)
		return Opened{Prompts: +1}
	case *record.InputEngaged:
		d.applyInputEngaged(r)
	case *record.InputSettled:
		if d.applyInputSettled(r, body) {
			return Opened{Prompts: -1}
		}
	case *record.ApprovalConsumed:
		d.applyClaimed(r.Approval, func(a *Approval) { a.ConsumedBy = r.Command })
	case *record.PermitVoided:
		d.applyClaimed(r.Approval, func(a *Approval) { a.Voided = body.Reason })
	case *record.CatalogOpened:
		d.applyCatalogOpened(r, body)
	case *record.CatalogChanged:
		d.applyCatalogChanged(body)
	case *record.CatalogClosed:
		d.applyCatalogClosed(body)
	case *record.TurnStarted:
		d.turns.put(r.Approval.String(), turn{known: true})
		d.open = &OpenTurn{ID: r.Approval, Command: r.Command, Started: r.Seq, Hosted: body.Hosted}
	case *record.TurnEnded:
		d.turns.put(body.TurnID, turn{known: true, ended: true})
		if d.open != nil && d.open.ID == r.Approval {
			d.open = nil
		}
	case *record.SessionClosed:
		d.claims = layer[approval.ID, *Approval]{} // nobody can take them any more
		d.runs, d.places = layer[runCall, span]{}, layer[place, approval.ID]{}
		d.catalogs = layer[approval.ID, *Catalog]{}
	}
	return Opened{}
}

// admit enters a command into the ledger.
func (d *Details) admit(r record.Record, intake *record.Intake) {
	d.commands.put(r.Command, entryOf(r.Seq, intake))
	if intake.Refusal != nil {
		d.refusals++
	} else {
		d.refusals = 0
	}
}

func (d *Details) applyOpened(r record.Record, body *record.ApprovalOpened) {
	a := &Approval{
		ID: r.Approval, Opened: r.Seq, OpenedAt: r.At,
		ToolCallID: body.ToolCallID, ToolName: body.ToolName,
		Requirement: body.Requirement, Hosted: body.By.Hosted(), PID: body.By.PID, ExpiresAt: body.ExpiresAt, Unattended: approval.Unattended(body.Unattended),
		Asked: CursorAt(r.Seq, 0), said: saidIn(body), Claim: claimOf(body),
	}
	d.approvals.put(a.ID, a)
	d.pending.put(a.ID, a)
	d.noteCall(body)
	d.enterRun(runCall{body.RunID, body.ToolCallID}, a.ID)
	d.noteTurn(body.TurnID)
}

func (d *Details) applyStage(r record.Record, body *record.StageSettled) {
	old, ok := d.pending.get(r.Approval)
	if !ok {
		return
	}
	a := *old
	a.Requirement, a.staged = body.Next, r.Seq
	if body.Asks {
		a.Asked = CursorAt(r.Seq, 1)
	}
	if a.said != nil {
		a.said = a.said.staged(body)
	}
	d.approvals.put(a.ID, &a)
	d.pending.put(a.ID, &a)
}

// applySettled reports whether the approval was pending until now.
func (d *Details) applySettled(r record.Record, body *record.ApprovalSettled) bool {
	old, ok := d.pending.get(r.Approval)
	if !ok {
		return false // a terminal state never changes (invariant 3)
	}
	a := &Approval{
		ID: old.ID, Opened: old.Opened, OpenedAt: old.OpenedAt,
		ToolCallID: old.ToolCallID, ToolName: old.ToolName,
		Requirement: old.Requirement, Settled: withoutEntry(body), SettledAt: r.At, SettledSeq: r.Seq, SettledBy: r.Command,
	}
	if approval.Outcome(body.Outcome) != approval.Superseded {
		a.Claim = old.Claim
		d.claims.put(a.ID, a)
	}
	d.approvals.put(a.ID, a)
	d.pending.drop(r.Approval)
	if a.Claim == nil {
		d.leaveRun(runCall{old.Claim.Run, old.ToolCallID})
	}
	return true
}

// withoutEntry is the body without the ledger's entry, which memory does not hold.
func withoutEntry(body *record.ApprovalSettled) *record.ApprovalSettled {
	settled := *body
	settled.Command = nil
	return &settled
}

// applyClaimed takes the claim of a settled approval away, for the reason that
// note writes down.
func (d *Details) applyClaimed(id approval.ID, note func(*Approval)) {
	old, ok := d.claims.get(id)
	if !ok {
		return // a claim is taken at most once (invariant 9)
	}
	a := *old
	note(&a)
	d.approvals.put(id, &a)
	d.claims.drop(id)
	d.leaveRun(runCall{a.Claim.Run, a.ToolCallID})
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
