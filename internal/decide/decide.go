package decide

import (
	"bytes"
	"encoding/json"

	strict "github.com/go-json-experiment/json" // half the time of encoding/json

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/policy"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// Decide selects a choice from the menu of the current requirement
// (protocol §6, approval/decide). The first durable decision wins.
type Decide struct {
	Intent
	Session     approval.ID
	Approval    approval.ID
	Requirement int // the source index that the decider saw
	Choice      wire.ChoiceID
	Feedback    *string
}

func (c Decide) concerns(*fold.State) approval.ID { return c.Session }

// The order of checks is that of protocol §3: replay, session, approval,
// terminal, requirement, choice, feedback, live reviewer.
func (c Decide) decide(s *fold.State, env Env) Result {
	session, end := c.enter(s, env, c.Session)
	if end != nil {
		return *end
	}
	a, ok := session.Approval(c.Approval)
	switch {
	case !ok && session.Closed:
		return Result{Refusal: sessionClosed(session, c.Intent)}
	case !ok:
		return Result{Refusal: ApprovalNotFound(c.Approval)}
	case !a.Pending():
		return Result{Refusal: alreadyResolved(session.ID, a)}
	case c.Requirement != a.Requirement:
		return refused(s, env, session, c.Intent, requirementStale(a, c.Requirement))
	}
	d := newDraft(s, env, session.ID, c.Command)
	full := d.full(a)
	choice, ok := selected(full.Menu, c.Choice)
	switch {
	case !ok:
		return refused(s, env, session, c.Intent, choiceInvalid(a, c.Choice))
	case c.Feedback != nil && !choice.AcceptsFeedback:
		return Result{Refusal: wire.NewError(wire.CodeInvalidParams,
			"feedback: the choice "+string(choice.ChoiceID)+" takes none; leave it out.")}
	}
	verdict := policy.Verdict{}
	if choice.ChoiceID != wire.ChoiceAbort {
		standing := choice.Scope != wire.ScopeOnce
		if env.Policy.Denies() || standing {
			verdict = d.ask(session, full)
			if verdict.Effect != policy.Ask && (standing || verdict.Effect == policy.Deny) {
				// A rule came while it waited, and was there before the decision.
				d.settleByPolicy(full, verdict, a.Requirement)
				settled, _ := d.now().Approval(a.ID)
				return Result{Records: d.records, Refusal: alreadyResolved(session.ID, settled)}
			}
		}
		switch {
		case a.Claim.Protected && !env.Attended(session.ID):
			return Result{Refusal: reviewerUnavailable(a)}
		case standing && !offers(verdict, choice):
			return refused(s, env, session, c.Intent, choiceInvalid(a, c.Choice))
		}
	}
	entry := c.intake(nil)
	d.entry = entry
	c.carryOut(d, full, choice, verdict)
	after, _ := d.now().Approval(a.ID)
	ack := encode(wire.ApprovalDecideResult{
		Ack:        wire.Accepted(c.Command.String()),
		ApprovalID: a.ID.String(),
		Terminal:   !after.Pending(),
	})
	entry.Ack = ack
	return d.accepted(ack)
}

// carryOut appends what the choice means.
func (c Decide) carryOut(d *draft, a fold.Full, choice wire.Choice, verdict policy.Verdict) {
	if persists(choice) {
		c.allowByRule(d, a, choice, *verdict.Menu.Persist)
		return
	}
	switch choice.ChoiceID {
	case wire.ChoiceAllowOnce:
		if a.Stages == nil {
			c.end(d, a.Approval, choice, approval.ByReviewerOnce)
			return
		}
		c.allowStage(d, a, choice, stageAllowed, approval.ByReviewerOnce)
	case wire.ChoiceAllowAllOnce:
		c.allowRest(d, a, choice)
	case wire.ChoiceAllowSession:
		c.allowSession(d, a, choice)
	default: // the menu holds nothing else but abort, and what is not allowed is refused
		c.end(d, a.Approval, choice, approval.ByReviewerAbort)
	}
}

// end settles the approval as a whole.
func (c Decide) end(d *draft, a *fold.Approval, choice wire.Choice, how approval.Resolution) {
	body := &record.ApprovalSettled{ChoiceID: string(choice.ChoiceID), By: &c.By}
	if choice.Scope != wire.ScopeOnce {
		body.Amendment = &record.Amendment{Durability: string(choice.Scope), RulePreview: choice.RulePreview}
	}
	if c.Feedback != nil {
		body.Feedback = *c.Feedback
	}
	d.settle(a, how, body)
}

// allowSession settles the approval and leaves a grant that covers exactly
// what the menu's preview said.
func (c Decide) allowSession(d *draft, a fold.Full, choice wire.Choice) {
	action := a.Action()
	reach, _ := action.Subject.Reach() // the menu offered it, so there is one
	reach = action.Bind(reach)
	c.end(d, a.Approval, choice, approval.ByReviewerSession)
	d.add(a.ID, &record.GrantAdded{
		GrantID: d.env.NewID(), Scope: string(choice.Scope), Reach: record.Reach(reach),
		RulePreview: choice.RulePreview, By: c.By,
	})
	d.spread()
}

// allowByRule writes the rule that the menu's preview showed. For a command it
// is about the current stage alone, and the others go on; it stays, whatever
// becomes of the approval (protocol §6 "Stages").
func (c Decide) allowByRule(d *draft, a fold.Full, choice wire.Choice, rule policy.Rule) {
	written, err := policy.EncodeRule(rule)
	if err != nil {
		panic("decide: a rule that was offered cannot be written: " + err.Error())
	}
	grant := &record.GrantAdded{
		GrantID: d.env.NewID(), Scope: string(choice.Scope), Reach: record.Reach{Kind: rule.Kind},
		Rule: written, Root: d.now().Started.WorkspaceRoot,
		RulePreview: choice.RulePreview, By: c.By,
	}
	d.add(a.ID, grant)
	if a.Stages == nil {
		c.end(d, a.Approval, choice, approval.ByReviewerRule)
	} else {
		c.allowStage(d, a, choice, approval.StageResolution{
			Kind: approval.StagePolicyAmendment, ArgvPrefix: rule.Argv,
		}, approval.ByReviewerRule)
	}
	d.spread()
}

// persists reports whether a choice writes a rule.
func persists(choice wire.Choice) bool { return choice.Scope == wire.ScopeLocalPersistent }

// offers reports whether what the choice would leave behind may be given still:
// a session grant, or the rule that it showed.
func offers(verdict policy.Verdict, choice wire.Choice) bool {
	if !persists(choice) {
		return verdict.Menu.Session || verdict.Menu.OnlySession
	}
	rule := verdict.Menu.Persist
	return rule != nil && persistent[rule.Kind].choice == choice.ChoiceID && policy.Describe(*rule) == choice.RulePreview
}

// selected finds a choice on a menu as published. To find one of those that most
// people take the menu need not be decoded: in a string the quotes of what looks
// like it would be escaped.
func selected(published json.RawMessage, id wire.ChoiceID) (wire.Choice, bool) {
	switch {
	case id == wire.ChoiceAllowOnce && bytes.Contains(published, publishedAllowOnce):
		return allowOnce, true
	case id == wire.ChoiceAbort && bytes.Contains(published, publishedAbort):
		return abort, true
	}
	var choices []wire.Choice
	if err := strict.Unmarshal(published, &choices); err != nil {
		return wire.Choice{}, false
	}
	for _, c := range choices {
		if c.ChoiceID == id {
			return c, true
		}
	}
	return wire.Choice{}, false
}
