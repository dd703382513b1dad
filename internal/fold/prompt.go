package fold

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// Prompt is one prompt, a set of questions for a person, as it stands after the
// last record about it. It is immutable: a record replaces it.
type Prompt struct {
	ID       approval.ID
	Opened   uint64 // sequence of the opening record
	OpenedAt time.Time

	// Request and Engaged are of a pending prompt.
	Request *record.InputOpened
	Engaged bool // somebody has begun to answer: there is no deadline any more

	// Settled is the terminal record; nil while the prompt is pending.
	Settled    *record.InputSettled
	SettledAt  time.Time
	SettledSeq uint64
	SettledBy  approval.CommandID // zero where no command settled it
}

// Pending reports whether nothing has settled the prompt.
func (p *Prompt) Pending() bool { return p.Settled == nil }

// Deadline is when a pending prompt times out; false where it never does.
func (p *Prompt) Deadline() (at time.Time, ok bool) {
	if p.Request.ExpiresAt == nil || p.Engaged {
		return at, false
	}
	return time.UnixMilli(*p.Request.ExpiresAt), true
}

// Questions are those of a pending prompt.
func (p *Prompt) Questions() []wire.Question { return questions(p.Request) }

// Asked is the cursor of userInput/requested.
func (p *Prompt) Asked() Cursor { return CursorAt(p.Opened, 0) }

// Params are what reviewers are asked about a pending prompt of the session that
// lineage leads to, as it stands: the params of userInput/requested, without the
// deadline where somebody has engaged with it. It must not be called on a settled
// prompt.
func (p *Prompt) Params(lineage []approval.ID) *wire.UserInputRequest {
	params := promptParams(lineage[len(lineage)-1], p.ID, p.Opened, p.OpenedAt, p.Request, lineage)
	if p.Engaged {
		params.AutoResolutionMs, params.ExpiresAt = nil, nil
	}
	return params
}

// Settlement is what the agent learns of a settled prompt (protocol §7). It must not
// be called on a pending one.
func (p *Prompt) Settlement() *wire.UserInputSettlement {
	s := p.Settled
	return &wire.UserInputSettlement{
		Outcome: wire.UserInputOutcome(s.Outcome), Answers: answers(s), Clarification: clarification(s),
		Reason: textOrNull(s.Reason), DecidedAt: wire.FormatTime(p.SettledAt),
	}
}

// Notice is what the loser of a race is told (msp-facts §6, -32056).
func (p *Prompt) Notice(session approval.ID) *wire.SettlementNotice {
	return &wire.SettlementNotice{
		Outcome: wire.UserInputOutcome(p.Settled.Outcome), ViewCursor: CursorAt(p.SettledSeq, 0).Text(session),
	}
}

// Prompt returns a prompt that was ever opened in the session. It is immutable.
func (s *Session) Prompt(id approval.ID) (*Prompt, bool) { return s.full().prompts.get(id) }

// PendingPrompts are the prompts without a terminal record, in opening order.
func (s *Session) PendingPrompts() []*Prompt {
	var out []*Prompt
	for _, p := range s.full().waiting.all() {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b *Prompt) int { return cmp.Compare(a.Opened, b.Opened) })
	return out
}

func (d *Details) applyInputOpened(r record.Record, body *record.InputOpened) {
	p := &Prompt{ID: r.Approval, Opened: r.Seq, OpenedAt: r.At, Request: body}
	d.prompts.put(p.ID, p)
	d.waiting.put(p.ID, p)
	d.noteTurn(body.TurnID)
}

func (d *Details) applyInputEngaged(r record.Record) {
	old, ok := d.waiting.get(r.Approval)
	if !ok {
		return
	}
	p := *old
	p.Engaged = true
	d.prompts.put(p.ID, &p)
	d.waiting.put(p.ID, &p)
}

// applyInputSettled reports whether the prompt was pending until now.
func (d *Details) applyInputSettled(r record.Record, body *record.InputSettled) bool {
	old, ok := d.waiting.get(r.Approval)
	if !ok {
		return false // a terminal state never changes (invariant 3)
	}
	d.prompts.put(old.ID, &Prompt{
		ID: old.ID, Opened: old.Opened, OpenedAt: old.OpenedAt,
		Settled: body, SettledAt: r.At, SettledSeq: r.Seq, SettledBy: r.Command,
	})
	d.waiting.drop(r.Approval)
	return true
}

func promptRequested(r record.Record, body *record.InputOpened, lineage []approval.ID) Event {
	e := event(r, 0, wire.MethodUserInputRequested, promptParams(r.Session, r.Approval, r.Seq, r.At, body, lineage))
	e.Asks = approval.RequirementID{Approval: r.Approval}
	return e
}

func promptSettled(r record.Record, body *record.InputSettled, lineage []approval.ID) Event {
	at := wire.FormatTime(r.At)
	settled := &wire.UserInputSettledEvent{
		SessionID:     r.Session.String(),
		UserInputID:   r.Approval.String(),
		Outcome:       wire.UserInputOutcome(body.Outcome),
		Answers:       answers(body),
		Clarification: clarification(body),
		Reason:        textOrNull(body.Reason),
		DecidedAt:     &at,
		SourceRange:   sourceRange(r.Session, r.Seq),
		ViewCursor:    CursorAt(r.Seq, 0).Text(r.Session),

		SubagentOrigin: Origin(lineage),
	}
	if body.By != nil { // a person decided
		settled.DecidedByCommandID = textOrNull(r.Command.String())
	}
	return event(r, 0, wire.MethodUserInputSettled, settled)
}

// promptParams are the shared params of userInput/request and userInput/requested.
func promptParams(session, id approval.ID, seq uint64, at time.Time, body *record.InputOpened, lineage []approval.ID) *wire.UserInputRequest {
	p := &wire.UserInputRequest{
		SessionID:        session.String(),
		UserInputID:      id.String(),
		TurnID:           body.TurnID,
		ItemID:           body.ItemID,
		ToolCallID:       body.ToolCallID,
		ToolName:         body.ToolName,
		ViewCursor:       CursorAt(seq, 0).Text(session),
		SourceRange:      sourceRange(session, seq),
		Questions:        questions(body),
		AutoResolutionMs: body.AutoResolutionMs,
		SubagentOrigin:   Origin(lineage),
		CreatedAt:        wire.FormatTime(at),
	}
	if body.ExpiresAt != nil {
		at := wire.FormatTime(time.UnixMilli(*body.ExpiresAt))
		p.ExpiresAt = &at
	}
	return p
}

// The parts of a record that were published are decoded again where they are
// shown. decide wrote them; what cannot be read is nothing.

func questions(body *record.InputOpened) (out []wire.Question) {
	if json.Unmarshal(body.Questions, &out) != nil {
		return nil
	}
	return out
}

func answers(body *record.InputSettled) (out []wire.Answer) {
	if body.Answers == nil || json.Unmarshal(body.Answers, &out) != nil {
		return nil
	}
	return out
}

func clarification(body *record.InputSettled) *wire.Clarification {
	if body.Clarification == nil {
		return nil
	}
	out := new(wire.Clarification)
	if json.Unmarshal(body.Clarification, out) != nil {
		return nil
	}
	return out
}
