package decide

import (
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/policy"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// Open hands an action in (protocol §7, approval/open).
type Open struct {
	Intent
	Session approval.ID
	// Action's subject has been inspected, and a shell's command been split into
	// stages (whose approval they name does not matter): hostile text takes time
	// to parse that the writer must not spend.
	Action approval.Action
	Diff   string // too long to publish; kept for approval/read
	// Unfit is why the subject does not stand up to the outside as it is now;
	// the subject is then empty. A command that the ledger knows is answered as
	// before, whatever has become of what it was about.
	Unfit *wire.Error
	// Stale is why the operation is out of date already: it names a state of its
	// target that is not the present one. It is recorded (protocol §3).
	Stale      *wire.Error
	Timeout    time.Duration       // 0: no deadline
	Unattended approval.Unattended // "": as the session says
}

func (c Open) concerns(*fold.State) approval.ID { return c.Session }

func (c Open) decide(s *fold.State, env Env) Result {
	session, end := c.enter(s, env, c.Session)
	switch {
	case end != nil:
		return *end
	case session.Closed:
		return Result{Refusal: sessionClosed(session, c.Intent)}
	case c.Unfit != nil:
		return Result{Refusal: c.Unfit}
	case session.Pending >= env.Limits.MaxPending:
		return Result{Refusal: backpressured(env.Limits.MaxPending)}
	}
	if refusal := unkeepable(c.Action.Subject); refusal != nil {
		return Result{Refusal: refusal}
	}
	if refusal := c.place(s, session, &c.Action); refusal != nil {
		return misplaced(s, env, session, c.Intent, refusal)
	}
	if c.Stale != nil {
		return refused(s, env, session, c.Intent, c.Stale)
	}
	o := c.opening(session, env)
	o.by, o.intake = c.By, c.intake(nil)
	d := newDraft(s, env, session.ID, c.Command)
	body := d.open(o)
	opened, _ := d.now().Approval(o.id)
	ack := wire.ApprovalOpenResult{
		Ack:           wire.Accepted(c.Command.String()),
		ApprovalID:    o.id.String(),
		ToolCallID:    body.ToolCallID,
		ArgsDigest:    body.ArgsDigest,
		SubjectDigest: body.SubjectDigest,
		State:         wire.StatePending,
	}
	if !opened.Pending() {
		ack.State, ack.Resolution = wire.StateResolved, opened.Resolution()
	}
	body.Command.Ack = encode(ack)
	return d.accepted(body.Command.Ack)
}

// opening is what is opened, but for who does it and the ledger's entry.
func (c Open) opening(session *fold.Session, env Env) opening {
	o := opening{id: env.NewID(), action: c.Action, diff: c.Diff, unattended: c.Unattended}
	if c.Timeout > 0 {
		at := env.Now.Add(c.Timeout).UnixMilli()
		o.expiresAt = &at
	}
	if o.unattended == "" {
		o.unattended = approval.Unattended(session.Started.Unattended)
	}
	return o
}

// opening is what becomes an opening record: of a client's call, or of the
// successor that a restart gives an approval.
type opening struct {
	id         approval.ID
	action     approval.Action
	diff       string
	unattended approval.Unattended
	expiresAt  *int64
	supersedes *approval.ID
	by         record.Party
	intake     *record.Intake
}

// open asks policy and appends the opening record, and with it the terminal
// one where nobody needs to be asked, or nobody is there to be asked.
func (d *draft) open(o opening) *record.ApprovalOpened {
	session := d.now()
	subject := o.action.Subject
	if sh, ok := subject.(approval.Shell); ok {
		sh.Stages = policy.Own(o.id, sh.Stages)
		subject = sh
	}
	o.action.Subject = subject
	verdict := d.env.Policy.Evaluate(o.action, d.question(session, o.action, d.regimes(session)))
	verdict.Explanation = d.explain(session, verdict)
	subject = approval.WithResolutions(subject, verdict.Stages)

	how, settled := verdict.Resolution, verdict.Effect != policy.Ask
	if !settled && o.supersedes == nil && o.unattended == approval.Refuse && !d.env.Attended(session.ID) {
		how, settled = approval.ByNobodyThere, true
	}
	body := o.record(subject, verdict)
	if !settled {
		body.Requirement, _ = firstOpen(approval.Resolutions(subject))
		body.Menu = encode(menu(subject, verdict.Menu, verdict.Protected))
	}
	d.add(o.id, body)
	if settled {
		opened, _ := d.now().Approval(o.id)
		d.settle(opened, how, settledAtOnce(how, verdict))
	}
	return body
}

// record is the opening record with an empty menu.
func (o opening) record(subject approval.Subject, verdict policy.Verdict) *record.ApprovalOpened {
	published := mustEncodeSubject(subject)
	a := o.action
	if a.TurnID == "" {
		a.TurnID = o.id.String()
	}
	if a.TaskID == "" {
		a.TaskID = o.id.String()
	}
	if a.ItemID == "" {
		a.ItemID = o.id.String()
	}
	if a.Justification == "" {
		a.Justification = verdict.Explanation
	}
	return &record.ApprovalOpened{
		ToolCallID: a.ToolCallID, ToolName: a.ToolName, RawArgs: a.RawArgs, ArgsDigest: a.ArgsDigest,
		Reason: a.Reason, Justification: a.Justification, Operation: a.Operation,
		TurnID: a.TurnID, TaskID: a.TaskID, ItemID: a.ItemID, ParentToolCallID: a.ParentToolCallID,
		RunID: a.RunID, CatalogID: a.Catalog, Requested: a.Requested, Subject: published, Stages: stagesOf(approval.Resolutions(subject)), SubjectDigest: mustDigest(published), Diff: o.diff,
		Menu:   noMenu,
		Policy: answer(verdict),
		Found:  mustEncodeFound(a.Found), Protected: verdict.Protected, PermissionMode: string(verdict.PermissionMode),
		ExpiresAt: o.expiresAt, Unattended: string(o.unattended), Supersedes: o.supersedes,
		By: o.by, Command: o.intake,
	}
}

// answer is what is published of a verdict.
func answer(v policy.Verdict) []byte {
	return encode(wire.PolicyAnswer{Source: wire.Source(v.Source), Rule: v.Rule, Explanation: v.Explanation})
}

// settledAtOnce is the terminal record of an approval that nobody was asked
// about: its reason goes to the agent, and is nothing where it was allowed.
func settledAtOnce(how approval.Resolution, verdict policy.Verdict) *record.ApprovalSettled {
	switch {
	case how == approval.ByNobodyThere:
		return &record.ApprovalSettled{Reason: "It was opened to be refused where no interactive reviewer is connected."}
	case verdict.Effect == policy.Deny:
		return &record.ApprovalSettled{Reason: verdict.Explanation, Rule: verdict.Rule}
	}
	return &record.ApprovalSettled{Rule: verdict.Rule}
}

// firstOpen is the source index of the first stage that waits for a decision;
// 0 for a subject without stages.
func firstOpen(stages []approval.StageResolution) (index int, found bool) {
	for i, s := range stages {
		if s.Open() {
			return i, true
		}
	}
	return 0, false
}
